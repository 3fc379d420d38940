// Every buffer that a provider or a caller can grow: each is grown here, is found in the shares,
// and leaves them as it ends. Unread bytes of a client: unit_fcgi. Lists:
// unit_adapters.
#include "adapters/adapter.hpp"
#include "adapters/reading/chat_reader.hpp"
#include "adapters/reading/relay_reader.hpp"
#include "execute/late_body.hpp"
#include "tests/unit/execute/support.hpp"
#include "tests/unit/run_on.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::execute;
namespace {
constexpr std::size_t mib = std::size_t{1024} * 1024;
constexpr std::size_t grown = mib / 2;
constexpr auto sse = "text/event-stream";
constexpr auto json_type = "application/json";
net::HttpHead head_of(const char* type) {
    net::HttpHead head;
    head.status = 200;
    head.content_type = type;
    return head;
}
/// A sink that keeps a document with its memory.
struct Sink final : adapters::RelaySink {
    void begin(const adapters::RelayHead&) override {}
    void take_limits(adapters::RelayLimits) override {}
    void write(std::string_view) override {}
    void write(std::string given, CallMemory::Part part) override {
        document = std::move(given);
        memory = std::move(part);
    }
    std::string document;
    CallMemory::Part memory{};
};
/// What an answer to a tool keeps before its end, and after it.
std::size_t of_relay(MemoryShares& shares, CallMemory& memory, const char* type,
                     std::string_view body) {
    Sink sink;
    adapters::Usage usage;
    adapters::RelayReader reader{RelayRoute::chat, "", sink, usage, &memory};
    reader.take_head(head_of(type));
    for (std::size_t at = 0; at < body.size(); at += 16'000)
        BOOST_TEST(reader.take_body(body.substr(at, 16'000)));
    const std::size_t taken = shares.taken();
    const net::HttpResult result{.failure = net::HttpFailure::none, .head = head_of(type)};
    if (type == std::string_view{json_type} && !reader.finish(result)) reader.conclude(result);
    BOOST_TEST((sink.document.empty() || shares.taken() + CallMemory::free_bytes >= grown));
    return taken;
}
/// What a chat's answer keeps that goes to no sink.
std::size_t of_chat(MemoryShares& shares, CallMemory& memory, const char* type,
                    std::string_view body) {
    adapters::ChatRequest request;
    const adapters::ChatSinks nowhere;
    adapters::ChatReader reader{adapters::openai_adapter(), request, nowhere, 4 * mib, &memory};
    reader.take_head(head_of(type));
    for (std::size_t at = 0; at < body.size(); at += 16'000)
        BOOST_TEST(reader.take_body(body.substr(at, 16'000)));
    return shares.taken();
}
/// A client that sends its body and reads nothing.
struct Client final : web::Stream {
    explicit Client(Loop& loop) : gate{loop} {}
    void begin(const web::Response&) override {}
    bool write(std::string_view) override { return true; }
    Task<web::BodyEnd> read_body(web::TakeBody take) override {
        for (std::size_t at = 0; at < body.size(); at += 16'000)
            if (!take(std::string_view{body}.substr(at, 16'000))) co_return web::BodyEnd::stopped;
        co_return web::BodyEnd::complete;
    }
    AsyncEvent& writable() override { return gate; }
    CancellationToken& cancellation() override { return token; }
    AsyncEvent gate;
    CancellationToken token;
    std::string body;
};
std::size_t of_body(MemoryShares& shares, CallMemory& memory, std::size_t copies) {
    Loop loop;
    Client client{loop};
    client.body = std::string(grown, 'x');
    WipedString body;
    CallMemory::Part part{&memory};
    test::run_on(loop, read_late_body(client, body, memory, part,
                                      {.announced = 0, .max_bytes = mib, .copies = copies}));
    return shares.taken();
}
using Grow = std::size_t (*)(MemoryShares&, CallMemory&);
struct Row {
    const char* buffer;
    Grow grow;
};
const std::string x(grown, 'x');
// NOLINTBEGIN(modernize-raw-string-literal): JSON among line ends
const Row buffers[] = {
    {"an event for a tool", [](auto& s, auto& m) { return of_relay(s, m, sse, "data: " + x); }},
    {"a comment for a tool", [](auto& s, auto& m) { return of_relay(s, m, sse, ": " + x); }},
    {"blank lines for a tool",
     [](auto& s, auto& m) { return of_relay(s, m, sse, ":\n" + std::string(grown, '\n')); }},
    {"a document for a tool",
     [](auto& s, auto& m) {
         return of_relay(s, m, json_type, "{\"choices\":[{\"message\":{}}],\"x\":\"" + x + "\"}");
     }},
    {"an event of a chat", [](auto& s, auto& m) { return of_chat(s, m, sse, "data: {" + x); }},
    {"a whole answer of a chat",
     [](auto& s, auto& m) { return of_chat(s, m, json_type, "{" + x); }},
    {"the text of a chat that is not streamed",
     [](auto& s, auto& m) {
         return of_chat(s, m, sse,
                        "data: {\"choices\":[{\"delta\":{\"content\":\"" + x + "\"}}]}\n\n");
     }},
    {"a body of a tool", [](auto& s, auto& m) { return of_body(s, m, 1); }},
    {"a body of the playground", [](auto& s, auto& m) { return of_body(s, m, copies_of_body); }},
};
// NOLINTEND(modernize-raw-string-literal)
} // namespace
BOOST_AUTO_TEST_CASE(every_buffer_that_a_stranger_grows_is_in_the_shares) {
    Loop loop;
    MemoryShares shares{loop, 16 * mib, 16 * mib};
    for (const auto& [buffer, grow] : buffers) {
        CallMemory memory{shares, test::somebody()};
        const std::size_t taken = grow(shares, memory);
        BOOST_TEST(taken + CallMemory::free_bytes >= grown, buffer << ": " << taken);
        BOOST_TEST(shares.taken() == 0U, buffer);
        BOOST_TEST(!memory.is_lost(), buffer);
    }
}
BOOST_AUTO_TEST_CASE(lines_of_data_are_counted_as_they_are_joined) {
    Loop loop;
    MemoryShares shares{loop, 16 * mib, 16 * mib};
    CallMemory memory{shares, test::somebody()};
    std::string lines;
    while (lines.size() < grown) lines += "data: " + std::string(1000, 'x') + "\n";
    BOOST_TEST(of_relay(shares, memory, sse, lines) >= 2 * grown - 4 * CallMemory::free_bytes);
    BOOST_TEST(shares.taken() == 0U);
}
// After each event: a stream's next small ones have no claim to it.
BOOST_AUTO_TEST_CASE(the_memory_of_an_event_is_given_back_after_it) {
    Loop loop;
    MemoryShares shares{loop, 16 * mib, 16 * mib};
    CallMemory memory{shares, test::somebody()};
    const std::string text = R"({"choices":[{"delta":{"content":")" + x + "\"}}]}";
    const std::string comment = ": " + x.substr(0, 3 * CallMemory::free_bytes) + "\n\n";
    BOOST_TEST(of_relay(shares, memory, sse, "data: {}\n\n" + comment + "data: {}\n\n: ") == 0U);
    std::size_t told = 0;
    const adapters::ChatSinks sinks{.text = [&](std::string_view piece) { told += piece.size(); }};
    adapters::ChatRequest request;
    adapters::ChatReader reader{adapters::openai_adapter(), request, sinks, 4 * mib, &memory};
    reader.take_head(head_of(sse));
    BOOST_TEST(reader.take_body("data: " + text + "\n\n"));
    BOOST_TEST((told == grown && shares.taken() == 0U));
}
BOOST_AUTO_TEST_CASE(what_can_not_be_counted_is_not_kept) {
    Loop loop;
    MemoryShares none{loop, 0, 0};
    for (const char* const type : {sse, json_type}) {
        CallMemory memory{none, test::somebody()};
        Sink sink;
        adapters::Usage usage;
        adapters::RelayReader reader{RelayRoute::chat, "", sink, usage, &memory};
        reader.take_head(head_of(type));
        bool goes_on = true;
        std::size_t pieces = 0;
        for (; goes_on && pieces < 100; ++pieces)
            goes_on = reader.take_body(std::string(16'000, type == sse ? 'x' : '{'));
        BOOST_TEST((!goes_on && memory.is_lost() && pieces * 16'000 < 2 * CallMemory::free_bytes));
    }
    CallMemory memory{none, test::somebody()};
    BOOST_CHECK_THROW(of_body(none, memory, 1), Refusal);
}
BOOST_AUTO_TEST_CASE(an_announced_body_takes_nothing_before_it_comes) {
    Loop loop;
    MemoryShares none{loop, 0, 0};
    CallMemory memory{none, test::somebody()};
    Client client{loop};
    client.body = "{}";
    std::string body;
    CallMemory::Part part{&memory};
    const LateBodyLimits limits{.announced = 32 * mib, .max_bytes = 32 * mib};
    BOOST_CHECK_EXCEPTION(
        test::run_on(loop, read_late_body(client, body, memory, part, limits)), Refusal,
        [](const Refusal& refusal) { return refusal.code() == ErrorCode::malformed_json; });
    BOOST_TEST((body == "{}" && !memory.is_lost()));
}
