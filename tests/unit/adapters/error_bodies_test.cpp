// Error bodies as providers document them, and all that follows from each: error_bodies.txt, whose
// first lines say how it is read.
#include "adapters/errors/provider_error.hpp"
#include "base/ascii.hpp"
#include "tests/unit/adapters/error_outcome.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <string>

using namespace usershell;
using namespace usershell::adapters;
using namespace usershell::test;

namespace {

/// "401 retry-after=20 {…}"
UpstreamError understood(std::string_view line) {
    const auto word = [&line] {
        const auto end = std::min(line.find(' '), line.size());
        const auto found = line.substr(0, end);
        line.remove_prefix(std::min(end + 1, line.size()));
        return found;
    };
    net::HttpHead head;
    head.status = parse_number<int>(word()).value();
    head.content_type = "application/json";
    if (line.starts_with("retry-after")) {
        const auto field = word();
        const auto equals = field.find('=');
        head.fields.emplace(field.substr(0, equals), field.substr(equals + 1));
    }
    return understand(read_provider_error(head, line, false, {}));
}

} // namespace

BOOST_AUTO_TEST_SUITE(error_bodies)

BOOST_AUTO_TEST_CASE(each_is_told_by_its_cause) {
    std::ifstream file{USERSHELL_SOURCE_DIR "/tests/unit/adapters/error_bodies.txt"};
    std::string body;
    int bodies = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("> ")) body = line.substr(2);
        if (!line.starts_with("< ")) continue;
        ++bodies;
        const auto shown = outcome(understood(body));
        BOOST_TEST(shown == line.substr(2), body << "\nis " << shown);
    }
    BOOST_TEST(bodies >= 150);
}

BOOST_AUTO_TEST_SUITE_END()
