// Calls that run: their register and their failures. Every buffer that a provider or a caller can
// grow: each is grown here, is found in the shares, and leaves them as it ends. Unread bytes of a
// client: unit_fcgi. Lists: unit_adapters.
#include "adapters/adapter.hpp"
#include "adapters/reading/chat_reader.hpp"
#include "adapters/reading/relay_reader.hpp"
#include "crypto/token.hpp"
#include "execute/calls/call_failure.hpp"
#include "execute/calls/call_register.hpp"
#include "execute/calls/health_collector.hpp"
#include "execute/late_body.hpp"
#include "tests/unit/execute/support.hpp"
#include "tests/unit/pipeline/support.hpp"
#include "tests/unit/run_on.hpp"
#include <deque>
using adapters::Reason;
using crypto::UnsealError;
using namespace usershell::execute;
using std::chrono::seconds;
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
    CallMemory::Part part{&memory};
    test::run_on(loop,
                 read_late_body<WipedString>(client, memory, part,
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
    test::settle(loop);
}
BOOST_AUTO_TEST_CASE(an_announced_body_takes_nothing_before_it_comes) {
    Loop loop;
    MemoryShares none{loop, 0, 0};
    CallMemory memory{none, test::somebody()};
    Client client{loop};
    client.body = "{}";
    CallMemory::Part part{&memory};
    const LateBodyLimits limits{.announced = 32 * mib, .max_bytes = 32 * mib};
    const auto read = [&] {
        test::run_on(loop, read_late_body<std::string>(client, memory, part, limits));
    };
    BOOST_CHECK_EXCEPTION(read(), Refusal, [](const Refusal& refusal) {
        return refusal.code() == ErrorCode::malformed_json;
    });
    BOOST_TEST(!memory.is_lost());
}

namespace {
constexpr std::size_t plenty = static_cast<std::size_t>(-1);
std::string one_more(CallRegister& all) {
    return outcome_of([&all] { const CallRegister::Slot slot{all}; });
}

BOOST_AUTO_TEST_CASE(calls_are_bounded_by_their_number_and_the_processs_memory) {
    CallRegister all{3, plenty};
    std::deque<CallRegister::Slot> slots;
    for (int i = 0; i < 3; ++i) slots.emplace_back(all);
    BOOST_TEST(one_more(all) == "unavailable");
    slots.pop_front();
    BOOST_TEST(one_more(all) == "served");
    CallRegister large{3, 4096};
    BOOST_TEST(one_more(large) == "unavailable");
}

BOOST_AUTO_TEST_CASE(a_call_is_due_until_it_is_renewed) {
    CallRegister all{3, plenty};
    CallRegister::Slot first{all};
    CallRegister::Slot second{all};
    const CallRegister::Slot not_begun{all};
    first.begun({somebody(), "first"});
    second.begun({somebody(), "second"});
    BOOST_TEST(all.due(std::chrono::hours{1}).empty());
    const auto due = all.due(std::chrono::seconds{0});
    BOOST_TEST(due.size() == 2U);
    const auto later = std::chrono::steady_clock::now() + std::chrono::hours{1};
    const auto others = all.renewed(due, {"second", "unknown"}, later);
    BOOST_REQUIRE(others.size() == 1U);
    BOOST_TEST(others[0].id == "first");
    const auto still = all.due(std::chrono::seconds{0});
    BOOST_REQUIRE(still.size() == 1U);
    BOOST_TEST(still[0].id == "first");
}

BOOST_AUTO_TEST_CASE(calls_that_were_not_renewed_are_ended) {
    CallRegister all{3, plenty};
    const std::vector<store::CallId> calls{{somebody(), "first"}, {somebody(), "second"}};
    std::deque<Recorder> answers(3);
    std::deque<CallRegister::Slot> slots;
    for (Recorder& answer : answers) {
        answer.writable().reset(); // the client does not read
        slots.emplace_back(all);
    }
    slots[0].begun(calls[0]);
    slots[1].begun({somebody(), "another"});
    for (std::size_t i = 0; i < answers.size(); ++i) slots[i].answers(&answers[i]);
    all.end(calls);
    BOOST_TEST(answers[0].cancellation().is_cancelled());
    BOOST_TEST(answers[0].writable().is_set());
    for (const std::size_t other : {1U, 2U}) {
        BOOST_TEST(!answers[other].cancellation().is_cancelled());
        BOOST_TEST(!answers[other].writable().is_set());
    }
    slots[1].begun(calls[1]);
    slots[1].answers(nullptr); // the call has ended
    all.end(calls);
    BOOST_TEST(!answers[1].cancellation().is_cancelled());
}

BOOST_AUTO_TEST_CASE(memory_is_given_back_after_a_burst) {
    CallRegister all{1000, plenty};
    std::deque<CallRegister::Slot> slots;
    for (int i = 0; i < 200; ++i) slots.emplace_back(all);
    BOOST_TEST(!all.give_back_memory());
    while (slots.size() > 101) slots.pop_back();
    BOOST_TEST(!all.give_back_memory());
    while (slots.size() > 99) slots.pop_back();
    BOOST_TEST(all.give_back_memory());
    BOOST_TEST(!all.give_back_memory(), "until there has been another");
    slots.clear();
    BOOST_TEST(all.give_back_memory());
    for (int i = 0; i < 60; ++i) slots.emplace_back(all);
    slots.clear();
    BOOST_TEST(!all.give_back_memory(), "for so few");
}
} // namespace

using Members = std::vector<std::pair<std::string, std::string>>;
namespace {
FailedKey key(const std::string& name, Reason reason, std::optional<seconds> wait = {},
              const std::string& said = {}) {
    return {name, CallFailure{adapters::UpstreamError{reason, wait, {"", said}}, "m"}};
}
FailedKey closed(const std::string& name, UnsealError::Reason reason) {
    return {name, CallFailure{UnsealError{reason}}};
}

BOOST_AUTO_TEST_CASE(several_keys_are_told_by_name_and_reason) {
    const std::tuple<std::vector<FailedKey>, std::string, std::string, int> table[] = {
        {{key("", Reason::key_refused, {}, "No.")},
         "key_refused",
         "The provider refused the key. Check or replace it.",
         0},
        {{key("Work", Reason::key_refused, {}, "No."), key("Spare", Reason::out_of_credit),
          key("Old", Reason::rate_limited)},
         "rate_limited",
         "3 keys were tried and none worked. \u201cWork\u201d: key refused; \u201cSpare\u201d: no "
         "credit left; \u201cOld\u201d: rate limited.",
         0},
        {{key("Work", Reason::rate_limited, seconds{90}),
          key("Spare", Reason::overloaded, seconds{20}), key("Old", Reason::key_refused)},
         "key_refused",
         "3 keys were tried and none worked. \u201cWork\u201d: rate limited; \u201cSpare\u201d: "
         "provider overloaded; \u201cOld\u201d: key refused. Try again in 20 seconds.",
         20},
        {{closed("Work", UnsealError::Reason::address_changed),
          closed("Spare", UnsealError::Reason::damaged)},
         "key_unavailable",
         "2 keys were tried and none worked. \u201cWork\u201d: entered for another address; "
         "\u201cSpare\u201d: can’t be opened.",
         0},
        {{key("Work", Reason::key_refused), key("Spare", Reason::too_long)},
         "too_long",
         "The message is too long for this model. Shorten it or start a new conversation.",
         0},
        {{key("Work", Reason::key_refused), key("Spare", Reason::cancelled)},
         "cancelled",
         "The call was ended: your session has ended or was renewed, or the provider was deleted "
         "or switched off.",
         0},
    };
    for (const auto& [tries, reason, sentence, wait] : table) {
        const CallFailure failure = failure_of(tries);
        BOOST_TEST(failure.sentence.english() == sentence);
        const bool is_of_request = failure.fault == adapters::Fault::request;
        BOOST_TEST(failure.shown().english() ==
                   sentence + (is_of_request ? " The model was “m”." : ""));
        BOOST_TEST(failure.said.words == (tries.size() == 1 ? "No." : ""));
        BOOST_TEST(failure.reason == reason);
        BOOST_TEST(failure.retry_after.value_or(seconds{0}).count() == wait);
    }
}

BOOST_AUTO_TEST_CASE(a_tokens_holder_reads_no_name) {
    const auto one = for_tool({key("Work", Reason::key_refused)});
    BOOST_TEST(one.shown().english() == "The provider refused the key. Check or replace it.");
    BOOST_TEST(one.key_name.empty());
    const auto two =
        for_tool({key("Work", Reason::key_refused), key("Spare", Reason::rate_limited)});
    BOOST_TEST(two.shown().english() ==
               "2 keys were tried and none worked. key refused; rate limited.");
}

BOOST_AUTO_TEST_CASE(the_longest_fits_into_the_store) {
    std::vector<FailedKey> tries;
    tries.reserve(rules::max_accounts);
    for (int i = 0; i < rules::max_accounts; ++i) // a quotation mark is two characters of JSON
        tries.push_back(closed(std::string(rules::account_name.max, '"'),
                               UnsealError::Reason::address_changed));
    tries.back() =
        key(std::string(rules::account_name.max, '"'), Reason::rate_limited, seconds{119});
    BOOST_TEST(count_code_points(failure_of(tries).sentence.stored()) <= rules::max_health_message);
}

// One output token of a message's start is not what an abandoned answer has taken.
BOOST_AUTO_TEST_CASE(usage_is_told_at_the_end_or_estimated) {
    const Spent spent{.told = {9, 1, {}}, .request_tokens = 10, .answer_bytes = 400};
    const CallFailure cut{adapters::UpstreamError{Reason::cut_off}};
    const CallFailure gone{adapters::UpstreamError{Reason::cancelled}};
    const auto provider = crypto::random_id<ProviderId>();
    const auto whole = usage_of(provider, "m", spent, nullptr);
    BOOST_TEST((!whole.estimated && whole.output_tokens == 1U));
    for (const auto* const failure : {&cut, &gone}) {
        const auto part = usage_of(provider, "m", spent, failure);
        BOOST_TEST((part.estimated && part.input_tokens == 9U && part.output_tokens == 100U));
    }
}

BOOST_AUTO_TEST_CASE(as_an_answer) {
    const auto limited =
        CallFailure{adapters::UpstreamError{Reason::failed, seconds{7}, {"code", "Words."}}}
            .refusal();
    BOOST_TEST(limited.status() == 502);
    BOOST_TEST(limited.reason() == "overloaded");
    BOOST_TEST((limited.retry_after() == seconds{7}), "whatever the status");
    BOOST_TEST(
        (limited.members() == Members{{"providerCode", "code"}, {"providerSaid", "Words."}}));
    BOOST_TEST(CallFailure{adapters::UpstreamError{Reason::timed_out}}.refusal().status() == 504);
    const auto moved = CallFailure{UnsealError{UnsealError::Reason::address_changed}}.refusal();
    BOOST_TEST(moved.status() == 409);
    BOOST_TEST(moved.reason() == "address_changed");
    BOOST_TEST(!moved.retry_after());
}
} // namespace
