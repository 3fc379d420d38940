#include "crypto/token.hpp"
#include "execute/calls/call_failure.hpp"
#include "execute/calls/health_collector.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::execute;
using adapters::Reason;
using crypto::UnsealError;
using std::chrono::seconds;
using Members = std::vector<std::pair<std::string, std::string>>;
namespace {
FailedKey key(const std::string& name, Reason reason, std::optional<seconds> wait = {},
              const std::string& said = {}) {
    return {name, CallFailure{adapters::UpstreamError{reason, wait, {"", said}}, "h", "m"}};
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
         "\u201cSpare\u201d: can't be opened.",
         0},
        {{key("Work", Reason::key_refused), key("Spare", Reason::too_long)},
         "too_long",
         "The message is too long for this model. Shorten it or start a new conversation.",
         0},
        {{key("Work", Reason::key_refused), key("Spare", Reason::cancelled)},
         "cancelled",
         "The call was ended: your session has ended or was renewed, or the provider was removed "
         "or deactivated.",
         0},
    };
    for (const auto& [tries, reason, sentence, wait] : table) {
        const CallFailure failure = failure_of(tries);
        BOOST_TEST(failure.sentence.english() == sentence);
        const bool was_called = reason != "key_unavailable";
        BOOST_TEST(failure.shown().english() ==
                   sentence + (was_called ? " The call was for \u201cm\u201d at h." : ""));
        BOOST_TEST(failure.said.words == (tries.size() == 1 ? "No." : ""));
        BOOST_TEST(failure.reason == reason);
        BOOST_TEST(failure.retry_after.value_or(seconds{0}).count() == wait);
    }
}

BOOST_AUTO_TEST_CASE(a_tokens_holder_reads_no_name_and_no_host) {
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
