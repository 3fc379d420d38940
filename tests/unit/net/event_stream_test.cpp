// The reader of server-sent events: what WHATWG says, cut anywhere, and its bounds.
#include "net/event_stream.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::net;
namespace {
using Events = std::vector<std::pair<std::string, std::string>>;
Events read(const std::vector<std::string_view>& pieces) {
    Events events;
    EventStream stream;
    std::string raw;
    const auto take = [&] {
        while (const auto event = stream.next()) {
            raw += event->raw;
            if (!event->data.empty()) events.emplace_back(event->name, event->data);
        }
    };
    std::string all;
    for (const auto piece : pieces) {
        BOOST_REQUIRE(stream.feed(piece));
        take();
        all += piece;
        BOOST_TEST(raw + std::string{stream.rest()} == all); // no byte is lost or changed
    }
    stream.finish();
    take();
    return events;
}
int count(EventStream& stream) {
    int events = 0;
    while (const auto event = stream.next()) events += event->data.empty() ? 0 : 1;
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
    {"data: {}\ndata: {\"a\":1}\n\n", {{"", "{}"}, {"", "{\"a\":1}"}}}, // one newline between
    {"data: {}\n \ndata: [DONE]\n\n", {{"", "{}"}, {"", "[DONE]"}}},
    {"data: {\ndata: }\n\n", {{"", "{\n}"}}},
    {"data: [{},\ndata: {}]\n\n", {{"", "[{},\n{}]"}}},
    {"event: x\ndata: {}\n\nevent: y\ndata: {}\n\n", {{"x", "{}"}, {"y", "{}"}}},
    {": a\n\n{\"error\":1}\n\n", {{"", "{\"error\":1}"}}}, // JSON alone
    {"data: a", {{"", "a"}}},                              // no line end
    {"data: a\n", {{"", "a"}}},                            // no blank line
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

BOOST_AUTO_TEST_CASE(an_event_is_bounded_however_it_is_cut) {
    const std::pair<std::string, int> table[] = {
        {"data: 01234567\n\n", 1},                // 16 bytes
        {"data: 012345678\n\n", 0},               // 17
        {"data: 0123456789abcdef", 0},            // one line
        {"data: 012\ndata: 012\ndata: 0\n\n", 0}, // many
        {"x\nx\nx\nx\nx\nx\nx\nx\nx\n\n", 0},     // of no data
        {"data: a\n\ndata: 0123456789abcdef\n\ndata: b\n\n", 1},
    };
    for (const auto& [text, events] : table)
        for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, text.size()}) {
            EventStream stream{16};
            int seen = 0;
            for (std::size_t at = 0; at < text.size() && !stream.is_over(); at += piece) {
                stream.feed(std::string_view{text}.substr(at, piece));
                seen += count(stream);
            }
            stream.finish();
            BOOST_TEST(seen + count(stream) == events, text << " by " << piece);
            BOOST_TEST(stream.is_over() == (text.size() > 16));
        }
    EventStream comments{16};
    for (int i = 0; i < 100; ++i) {
        BOOST_TEST(comments.feed(": ping\n\n"));
        BOOST_TEST(count(comments) == 0);
    }
    BOOST_TEST((comments.feed("data: a\n\n") && count(comments) == 1));
}
} // namespace
