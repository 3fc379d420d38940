// Lines of the log, and the id of the build that they name.
#include "base/logging/log.hpp"
#include "runtime/process.hpp"
#include "tests/unit/test.hpp"
#include <cerrno>
#include <system_error>
namespace {
std::string line(Level level, std::string_view event, std::initializer_list<LogField> fields = {}) {
    return with_priority(log_line(level, event, fields));
}
std::string line_with(std::string value) {
    return line(Level::info, "e", {{"k", std::move(value)}});
}

BOOST_AUTO_TEST_CASE(a_line_has_priority_event_and_fields_up_to_a_length) {
    BOOST_TEST(line(Level::error, "worker stopped") == "<3>worker stopped");
    BOOST_TEST(line(Level::info, "request", {{"method", "GET"}, {"status", "200"}}) ==
               R"(<6>request method="GET" status="200")");
    BOOST_TEST(line_with(std::string(1000, 'a')) == "<6>e k=\"" + std::string(1000, 'a') + "\"");
    BOOST_TEST(line_with(std::string(1001, 'a')) == "<6>e k=\"" + std::string(1000, 'a') + "...\"");
}

BOOST_AUTO_TEST_CASE(no_input_forges_a_line_or_leaves_its_quotes) {
    const std::pair<std::string, std::string_view> table[] = {
        {"plain text, 'quoted' = fine", "plain text, 'quoted' = fine"},
        {"a\r\n<3>forged\tc", R"(a\r\n<3>forged\tc)"},
        {R"(" admin="yes)", R"(\" admin=\"yes)"},
        {R"(\)", R"(\\)"},
        {std::string("a\0b", 3), R"(a\x00b)"},
        {"\x1b[31mred\x7f", R"(\x1b[31mred\x7f)"},
        {"h\xc3\xa9", R"(h\xc3\xa9)"},
    };
    for (const auto& [value, shown] : table)
        BOOST_TEST(line_with(value) == "<6>e k=\"" + std::string{shown} + "\"");
    BOOST_TEST(line(Level::info, "e\nf", {{"k\nl", "v"}}) == R"(<6>e\nf k\nl="v")");
}

BOOST_AUTO_TEST_CASE(the_request_id_is_on_every_line_of_its_thread_alone) {
    BOOST_TEST(line(Level::info, "e") == "<6>e");
    {
        const LogContext request{"r1"};
        BOOST_TEST(line(Level::info, "e", {{"k", "v"}}) == R"(<6>e request_id="r1" k="v")");
        std::thread{[] { BOOST_TEST(line(Level::info, "e") == "<6>e"); }}.join();
        {
            const LogContext inner{"r2\n"};
            BOOST_TEST(line(Level::info, "e") == R"(<6>e request_id="r2\n")");
        }
        BOOST_TEST(line(Level::info, "e") == R"(<6>e request_id="r1")");
    }
    BOOST_TEST(line(Level::info, "e") == "<6>e");
}

BOOST_AUTO_TEST_CASE(only_our_own_texts_are_logged_of_an_exception) {
    BOOST_TEST(loggable(Error{"the ring is missing"}) == "the ring is missing");
    BOOST_TEST(loggable(SystemError{"eventfd", EMFILE}) == "eventfd: Too many open files");
    BOOST_TEST(loggable(invalid("name", "canary"_en)) == "invalid_field");
    BOOST_TEST(loggable(std::runtime_error{"canary"}) == "std::runtime_error");
    BOOST_TEST(loggable(std::system_error{ENOENT, std::generic_category(), "canary"}) ==
               "std::system_error: No such file or directory");
}

BOOST_AUTO_TEST_CASE(a_slow_journal_delays_nobody_and_what_is_dropped_is_counted) {
    std::vector<std::string> written;
    std::promise<void> begun;
    std::promise<void> resumed;
    {
        LogBuffer buffer{[&](const LogLine& line) {
            if (written.empty()) {
                begun.set_value();
                resumed.get_future().wait();
            }
            written.push_back(with_priority(line));
        }};
        log(Level::info, "first");
        begun.get_future().wait();
        for (std::size_t i = 0; i < LogBuffer::max_lines + 3; ++i) log(Level::info, "next");
        resumed.set_value();
    }
    BOOST_TEST_REQUIRE(written.size() == 1 + LogBuffer::max_lines + 1);
    BOOST_TEST(written[0] == "<6>first");
    BOOST_TEST(written[LogBuffer::max_lines] == "<6>next");
    BOOST_TEST(written.back() == R"(<4>log lines dropped count="3")");
}
} // namespace

BOOST_AUTO_TEST_CASE(it_is_the_note_in_the_program_file) {
    const std::string& id = usershell::build_id();
    BOOST_TEST(id.size() == 40);
    std::ifstream file{"/proc/self/exe", std::ios::binary};
    const std::string program{std::istreambuf_iterator<char>{file}, {}};
    // Size of the name, size of the id, type 3, name; then the id.
    const std::string note{"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0", 16};
    const auto at = program.find(note);
    BOOST_REQUIRE(at != std::string::npos);
    BOOST_TEST(usershell::hex(program.substr(at + note.size(), 20)) == id);
}
