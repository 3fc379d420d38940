// Streams as providers document them, and what becomes of each: stream_shapes.txt, whose first
// lines say how it is read.
#include "tests/unit/adapters/support.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>

using namespace usershell;
using namespace usershell::adapters;
using namespace usershell::test;

namespace {

std::string number(std::optional<std::uint64_t> count) {
    return count ? std::to_string(*count) : "-";
}

/// The line that is expected below a stream.
std::string shown(const Heard& heard) {
    if (heard.error) return outcome(*heard.error);
    const auto& [content, model, finish_reason, usage] = heard.reply;
    return "\"" + content + "\", thinks \"" + heard.reasoning + "\", " +
           std::string{name_of(finish_reason)} + ", " + number(usage.input) + " in, " +
           number(usage.output) + " out, " + number(usage.reasoning) + " of them reasoning";
}

/// "name data", or " data" of an event without a name.
std::string event(std::string_view line) {
    const auto space = line.find(' ');
    const std::string name{line.substr(0, space)};
    return (name.empty() ? "" : "event: " + name + "\n") +
           "data: " + std::string{line.substr(space + 1)} + "\n\n";
}

Protocol protocol_of(std::string_view type) { return find_provider_type(type)->protocol; }

} // namespace

BOOST_AUTO_TEST_SUITE(stream_shapes)

BOOST_AUTO_TEST_CASE(each_is_read_whole_and_in_pieces) {
    std::ifstream file{USERSHELL_SOURCE_DIR "/tests/unit/adapters/stream_shapes.txt"};
    auto request = asking();
    request.reasoning = true;
    std::string type;
    std::string stream;
    int shapes = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("> ")) type = line.substr(2);
        if (line.starts_with("-")) stream += event(std::string_view{line}.substr(1));
        if (line.starts_with("|")) stream += line.substr(line.starts_with("| ") ? 2 : 1) + "\n";
        if (!line.starts_with("< ")) continue;
        ++shapes;
        const Answered how{.protocol = protocol_of(type)};
        const auto whole = shown(hear(how, {stream}, request));
        BOOST_TEST(whole == line.substr(2), stream << "is " << whole);
        BOOST_TEST(shown(hear(how, byte_by_byte(stream), request)) == whole, stream);
        stream.clear();
    }
    BOOST_TEST(shapes >= 90);
}

BOOST_AUTO_TEST_SUITE_END()
