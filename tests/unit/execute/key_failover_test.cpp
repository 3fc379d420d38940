// One call, as far as it goes without a store: which key is opened for what, and what becomes of
// failures. That nothing of it needs the store is itself a promise: an answer that has come is not
// lost because its findings can't be recorded.
#include "base/error.hpp"
#include "base/rules.hpp"
#include "execute/calls/key_failover.hpp"
#include "tests/unit/app/support.hpp"
#include "tests/unit/execute/support.hpp"
#include "tests/unit/test.hpp"
#include "tests/unit/web/refusal_check.hpp"

using namespace usershell::execute;
using adapters::Reason;
namespace {
Task<> nothing() { co_return; }

struct TestCall {
    explicit TestCall(Programs& all) : TestCall{all, all.execute.check_limits()} {}
    TestCall(Programs& all, const CallLimits& given)
        : programs{all},
          failover{all.execute, call, given} {}
    /// "served", "failed key_refused" or a refusal's code.
    std::string run(const store::CallProvider& provider, const KeyFailover::Job& then = {}) {
        const CapturedLog quiet;
        const KeyFailover::Job job = [&](const adapters::CallTarget& target,
                                         const adapters::CallControl& control) {
            tried.push_back(std::string{target.key} + " " + std::string{target.type.value} + " " +
                            target.base_url.text());
            limits = control.limits;
            cancellation = control.cancellation;
            readers = control.readers;
            on_the_loop = programs.execute.loop.is_here();
            return then ? then(target, control) : nothing();
        };
        KeyFailover::Outcome outcome;
        const std::string refused =
            outcome_of([&] { outcome = programs.execute.loop.run(failover.run(provider, job)); });
        return outcome.failure ? "failed " + std::string{outcome.failure->reason} : refused;
    }
    Programs& programs;
    Call call{programs.execute, {somebody(), "a call"}};
    KeyFailover failover;
    std::vector<std::string> tried{}; ///< "key type url"
    net::HttpLimits limits{};
    CancellationToken* cancellation = nullptr;
    BlockingPool* readers = nullptr;
    bool on_the_loop = false;
};

KeyFailover::Job failing(Reason reason) {
    return [reason](const adapters::CallTarget&, const adapters::CallControl&) -> Task<> {
        throw adapters::UpstreamError{reason};
    };
}
} // namespace
BOOST_AUTO_TEST_SUITE(failover)
BOOST_AUTO_TEST_CASE(the_job_gets_the_opened_key_and_where_it_goes) {
    Programs programs;
    TestCall call{programs};
    CancellationToken cancellation;
    int ticks = 0;
    call.failover.watch({.cancellation = &cancellation, .on_tick = [&ticks] { ++ticks; }});
    BOOST_TEST(call.run(programs.provider("sk-own")) == "served");
    BOOST_REQUIRE(call.tried.size() == 1U);
    BOOST_TEST(call.tried[0] == "sk-own openai https://api.example/v1");
    BOOST_TEST(call.cancellation == &cancellation);
    BOOST_TEST(call.on_the_loop);
    BOOST_TEST(ticks == 1); // for each key
    // Where strangers' bytes are read no key is opened.
    BOOST_TEST(call.readers == &programs.execute.readers);
    BOOST_TEST(call.readers != &programs.execute.threads);
}

BOOST_AUTO_TEST_CASE(keys_share_the_time_of_the_call) {
    Programs programs;
    TestCall call{programs};
    call.run(programs.provider("sk-own"));
    BOOST_TEST((call.limits.total <= std::chrono::seconds{40}));
    BOOST_TEST((call.limits.total > std::chrono::seconds{0}));
    BOOST_TEST((call.limits.connect <= std::chrono::seconds{10}));
    BOOST_TEST((call.limits.first_byte == std::chrono::seconds{20}));
    BOOST_TEST((programs.execute.chat_limits().total == std::chrono::seconds{600}));
    BOOST_TEST(programs.execute.list_limits().answer_bytes == 8U * 1024 * 1024);
    BOOST_TEST(programs.execute.chat_limits().answer_bytes == 4U * 1024 * 1024);
}

BOOST_AUTO_TEST_CASE(a_failure_of_the_only_key_is_the_calls) {
    Programs programs;
    for (const Reason reason : {Reason::key_refused, Reason::unreachable, Reason::too_long}) {
        TestCall call{programs};
        BOOST_TEST(call.run(programs.provider("sk-own"), failing(reason)) ==
                   "failed " + std::string{adapters::UpstreamError{reason}.reason_name()});
        BOOST_TEST(call.tried.size() == 1U);
    }
}

BOOST_AUTO_TEST_CASE(keys_are_tried_while_the_call_may_make_requests) {
    Programs programs;
    store::CallProvider provider = programs.provider("sk-own");
    provider.round_robin_accounts = true;
    for (int number = 1; number <= 9; ++number)
        provider.accounts.push_back(programs.key("sk", account_number(number)));
    CallLimits limits = programs.execute.check_limits();
    limits.requests = rules::max_batch_requests;
    TestCall call{programs, limits};
    call.failover.aside();
    const KeyFailover::Job refused = [](const adapters::CallTarget&,
                                        const adapters::CallControl& control) -> Task<> {
        control.budget->take_request();
        throw adapters::UpstreamError{Reason::key_refused};
    };
    BOOST_TEST(call.run(provider, refused) == "failed key_refused");
    BOOST_TEST(call.tried.size() == 3U);
}

BOOST_AUTO_TEST_CASE(what_a_job_throws_besides_passes_through) {
    Programs programs;
    TestCall call{programs};
    const KeyFailover::Job broken = [](const adapters::CallTarget&,
                                       const adapters::CallControl&) -> Task<> {
        throw std::runtime_error{"broken"};
    };
    BOOST_CHECK_THROW(call.run(programs.provider("sk-own"), broken), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(a_key_that_does_not_open_is_never_handed_out) {
    Programs programs;
    const Programs others;
    store::CallProvider moved = programs.provider("sk-own");
    moved.own_key = programs.key("sk-own", account_number(1));
    moved.own_key->account.reset();
    store::CallProvider elsewhere = programs.provider("sk-own");
    elsewhere.base_url = BaseUrl::parse("https://evil.example/v1");
    store::CallProvider other_path = programs.provider("sk-own");
    other_path.base_url = BaseUrl::parse("https://api.example/v2");
    store::CallProvider other_type = programs.provider("sk-own");
    other_type.type = find_provider_type("mistral");
    store::CallProvider foreign = programs.provider("sk-own");
    foreign.own_key = others.key("sk-own");
    for (const store::CallProvider& provider :
         {moved, elsewhere, other_path, other_type, foreign}) {
        TestCall call{programs};
        const auto outcome = call.run(provider);
        BOOST_TEST((outcome == "failed key_unavailable" || outcome == "failed address_changed"));
        BOOST_TEST(call.tried.empty());
    }
}

BOOST_AUTO_TEST_CASE(one_account_alone) {
    Programs programs;
    store::CallProvider provider = programs.provider("sk-own");
    provider.accounts = {programs.key("sk-1", account_number(1)),
                         programs.key("sk-2", account_number(2))};
    provider.accounts[1].is_enabled = false;
    for (const bool rotating : {false, true}) {
        provider.round_robin_accounts = rotating;
        TestCall call{programs};
        call.failover.only(account_number(2));
        BOOST_TEST(call.run(provider, failing(Reason::rate_limited)) == "failed rate_limited");
        BOOST_REQUIRE(call.tried.size() == 1U);
        BOOST_TEST(call.tried[0].starts_with("sk-2 "));
    }
    TestCall stranger{programs};
    stranger.failover.only(account_number(3));
    BOOST_TEST(stranger.run(provider) == "not_found");
}

BOOST_AUTO_TEST_CASE(enabled_accounts_take_turns_else_the_providers_own_key_is_used) {
    Programs programs;
    for (const bool rotating : {false, true}) {
        for (const bool enabled : {false, true}) {
            store::CallProvider provider = programs.provider("sk-own");
            provider.round_robin_accounts = rotating;
            provider.accounts = {programs.key("sk-1", account_number(1)),
                                 programs.key("sk-2", account_number(2))};
            provider.accounts[0].is_enabled = false;
            provider.accounts[1].is_enabled = enabled;
            TestCall call{programs};
            call.run(provider, failing(Reason::key_refused));
            BOOST_REQUIRE(call.tried.size() == 1U);
            BOOST_TEST(call.tried[0].starts_with(rotating && enabled ? "sk-2 " : "sk-own "));
        }
    }
}

BOOST_AUTO_TEST_CASE(what_can_not_be_called_is_said) {
    Programs programs;
    store::CallProvider keyless = programs.provider("sk-own");
    keyless.own_key.reset();
    store::CallProvider unknown_type = programs.provider("sk-own");
    unknown_type.type = nullptr;
    for (const store::CallProvider& provider : {keyless, unknown_type}) {
        TestCall call{programs};
        BOOST_TEST(call.run(provider) == "conflict");
        BOOST_TEST(call.tried.empty());
    }
}

BOOST_AUTO_TEST_CASE(the_key_that_answered_is_told) {
    Programs programs;
    store::CallProvider provider = programs.provider("sk-own");
    provider.round_robin_accounts = true;
    provider.accounts = {programs.key("sk-1", account_number(1)),
                         programs.key("sk-2", account_number(2))};
    provider.accounts[0].name = "one";
    provider.accounts[1].name = "two";
    TestCall call{programs};
    call.failover.aside();
    const KeyFailover::Job second = [](const adapters::CallTarget& target,
                                       const adapters::CallControl&) {
        if (target.key == "sk-1") throw adapters::UpstreamError{Reason::key_refused};
        return nothing();
    };
    BOOST_TEST(programs.execute.loop.run(call.failover.run(provider, second)).key == "two");
}
BOOST_AUTO_TEST_SUITE_END()
