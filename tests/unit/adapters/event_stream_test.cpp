// The reader of server-sent events: what WHATWG says, cut anywhere, and its bounds.
#include "adapters/reading/event_stream.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::adapters;
namespace {
using Events = std::vector<std::pair<std::string, std::string>>;
Events read(const std::vector<std::string_view>& pieces) {
    Events events;
    EventStream stream{
        [&](const ServerEvent& event) { events.emplace_back(event.name, event.data); }};
    for (const auto piece : pieces) BOOST_REQUIRE(stream.feed(piece));
    stream.finish();
    return events;
}
const std::pair<std::string, Events> streams[] = {
    {"data: a\n\ndata: b\n\n", {{"", "a"}, {"", "b"}}},
    {"data: a\r\n\r\ndata: b\r\n\r\n", {{"", "a"}, {"", "b"}}},
    {"data: a\r\rdata: b\r\r", {{"", "a"}, {"", "b"}}},
    {"data: a\r\n\ndata: b\n\r\n", {{"", "a"}, {"", "b"}}},
    {"\ufeffdata: a\n\n", {{"", "a"}}},
    {"\ufeff\ndata: a\n\n", {{"", "a"}}},
    {"data: a\n\n\ufeffdata: b\n\n", {{"", "a"}}}, // only at the start is it a mark
    {": ping\n\ndata: a\n: OPENROUTER PROCESSING\n\n:\n\n", {{"", "a"}}},
    {"event: x\ndata: a\n\ndata: b\n\n", {{"x", "a"}, {"", "b"}}},
    {"event: x\n\ndata: b\n\n", {{"", "b"}}}, // without data it is none, its name forgotten
    {"data: a\ndata: b\n\n", {{"", "a\nb"}}},
    {"data\ndata: b\n\n", {{"", "\nb"}}},
    {"data:a\n\ndata:  a\n\n", {{"", "a"}, {"", " a"}}},
    {"data: a: b\n\n", {{"", "a: b"}}},
    {"data:\n\n", {}},
    {"id: 1\nretry: 5\nx: y\nnonsense\ndata: a\n\n", {{"", "a"}}},
    {"data: a", {{"", "a"}}},   // no line end
    {"data: a\n", {{"", "a"}}}, // no blank line
    {"data: a\n\ndata: ", {{"", "a"}}},
    {"", {}},
    {"\n\r\n\r", {}},
};

BOOST_AUTO_TEST_CASE(every_cut_gives_the_same_events) {
    for (const auto& [text, events] : streams) {
        const std::string_view all = text;
        for (std::size_t cut = 0; cut <= all.size(); ++cut)
            BOOST_TEST((read({all.substr(0, cut), all.substr(cut)}) == events),
                       text << " cut at " << cut);
        std::vector<std::string_view> bytes;
        for (std::size_t i = 0; i < all.size(); ++i) bytes.push_back(all.substr(i, 1));
        BOOST_TEST((read(bytes) == events), text << " byte by byte");
    }
}

BOOST_AUTO_TEST_CASE(a_line_and_an_event_are_bounded) {
    int events = 0;
    const auto count = [&](const ServerEvent&) { ++events; };
    EventStream line{count, 16};
    BOOST_TEST(line.feed("data: 0123456789"));
    BOOST_TEST(!line.feed("a"));
    BOOST_TEST(!line.feed("\n\n"));
    line.finish();
    BOOST_TEST(events == 0);
    EventStream event{count, 16};
    BOOST_TEST(event.feed("data: 0123456\ndata: 0123456\n"));
    BOOST_TEST(!event.feed("data: 0123456\n\n"));
    event.finish();
    BOOST_TEST(events == 0);
    EventStream comments{count, 16};
    for (int i = 0; i < 100; ++i) BOOST_TEST(comments.feed(": ping\n"));
    BOOST_TEST(comments.feed("data: a\n\n"));
    BOOST_TEST(events == 1);
}
} // namespace
