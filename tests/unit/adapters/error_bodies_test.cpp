// Error bodies as providers document them, and all that follows from each: error_bodies.txt, whose
// first lines say how it is read.
#include "adapters/errors/provider_error.hpp"
#include "base/ascii.hpp"
#include "base/catalogue.hpp"
#include "tests/unit/adapters/support.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <map>
#include <string>

using namespace usershell;
using namespace usershell::adapters;
using namespace usershell::test;

namespace {

/// Removes and returns the text before `mark`, or all; removes the mark, too.
std::string cut(std::string_view& text, std::string_view mark) {
    const auto end = std::min(text.find(mark), text.size());
    std::string found{text.substr(0, end)};
    text.remove_prefix(std::min(end + mark.size(), text.size()));
    return found;
}

/// "401 retry-after=20 {…}"
UpstreamError understood(std::string_view line) {
    net::HttpHead head;
    head.status = parse_number<int>(cut(line, " ")).value();
    head.content_type = "application/json";
    if (line.starts_with("retry-after") || line.starts_with("cf-mitigated")) {
        const auto field = cut(line, " ");
        const auto equals = field.find('=');
        head.fields.emplace(field.substr(0, equals), field.substr(equals + 1));
    }
    return understand(read_provider_error(head, line, false), no_key);
}

} // namespace

BOOST_AUTO_TEST_SUITE(error_bodies)

BOOST_AUTO_TEST_CASE(each_is_told_by_its_cause) {
    std::ifstream file{USERSHELL_SOURCE_DIR "/tests/unit/adapters/error_bodies.txt"};
    std::map<std::string, std::string> outcomes;
    int bodies = 0;
    for (std::string line; std::getline(file, line);) {
        std::string_view rest =
            std::string_view{line}.substr(std::min<std::size_t>(2, line.size()));
        if (line.starts_with("= ")) {
            const auto name = cut(rest, ": ");
            outcomes[name] = rest;
        }
        if (!line.starts_with("> ")) continue;
        ++bodies;
        const std::string expected = cut(rest, " <- ");
        std::string_view said = expected;
        const auto& told = outcomes.at(cut(said, ": "));
        const auto shown = outcome(understood(rest));
        BOOST_TEST(shown == told + (said.empty() ? "" : " It said: " + std::string{said}),
                   line << "\nis " << shown);
    }
    BOOST_TEST(bodies >= 200);
}

BOOST_AUTO_TEST_SUITE_END()
