// Which key is tried for what, what becomes of failures, and the health that follows; the call
// needs no store for that.
#include "execute/calls/health_collector.hpp"
#include "execute/calls/key_failover.hpp"
#include "tests/unit/execute/support.hpp"
#include "tests/unit/pipeline/support.hpp"
#include "tests/unit/run_on.hpp"
using adapters::Reason;
using namespace usershell::execute;
using std::chrono::seconds;
namespace {
Task<> nothing() { co_return; }
struct TestCall {
    explicit TestCall(Programs& all, const std::optional<CallLimits>& given = {})
        : programs{all},
          failover{all.execute, call, given.value_or(all.execute.upstream.check_limits())} {}
    /// "served", "failed key_refused" or a refusal's code.
    std::string run(opener::CallProvider provider, const KeyFailover::Job& then = {}) {
        const CapturedLog quiet;
        const KeyFailover::Job job = [&](const adapters::CallTarget& target,
                                         const adapters::CallControl& control) {
            tried.push_back(std::string{target.key} + " " + std::string{target.type.value} + " " +
                            target.base_url.text());
            limits = control.options.limits;
            cancellation = control.options.cancellation;
            readers = control.readers;
            on_the_loop = programs.execute.loop.is_here();
            return then ? then(target, control) : nothing();
        };
        KeyFailover::Outcome outcome;
        opener::CallProvider opened = programs.opened(std::move(provider), failover.only);
        if (prepare) prepare(opened);
        const std::string refused =
            outcome_of([&] { outcome = run_on(programs.execute.loop, failover.run(opened, job)); });
        const bool is_left = opened.own_key && opened.own_key->opened;
        BOOST_TEST((refused != "served" || !is_left)); // wiped with its try
        failure_code = outcome.failure ? name_of(outcome.failure->code) : "";
        return outcome.failure ? "failed " + std::string{outcome.failure->reason} : refused;
    }
    Programs& programs;
    Call call{programs.execute.calls, {somebody(), "5f6f1c0e-0000-4000-8000-0000000000ca"}};
    KeyFailover failover;
    std::vector<std::string> tried{}; ///< "key type url"
    net::HttpLimits limits{};
    CancellationToken* cancellation = nullptr;
    PoolLane* readers = nullptr;
    bool on_the_loop = false;
    std::function<void(opener::CallProvider&)> prepare{}; ///< before the call
    std::string failure_code{};
};
/// With accounts 1 and 2 that have keys of that number, the first enabled.
opener::CallProvider with_two(const Programs& programs, bool rotating, bool second_enabled) {
    opener::CallProvider provider = programs.provider("sk-own");
    provider.round_robin_accounts = rotating;
    for (const int number : {1, 2})
        provider.accounts.push_back(
            programs.key("sk-" + std::to_string(number), account_number(number)));
    provider.accounts[0].name = "one";
    provider.accounts[1].name = "two";
    provider.accounts[1].is_enabled = second_enabled;
    return provider;
}
Task<> refuses_first(const adapters::CallTarget& target, const adapters::CallControl&) {
    if (target.key == "sk-1") throw adapters::UpstreamError{Reason::key_refused};
    return nothing();
}
KeyFailover::Job failing(Reason reason) {
    return [reason](const adapters::CallTarget&, const adapters::CallControl&) -> Task<> {
        throw adapters::UpstreamError{reason};
    };
}

BOOST_AUTO_TEST_CASE(the_job_gets_the_opened_key_and_where_it_goes) {
    Programs programs;
    TestCall call{programs};
    CancellationToken cancellation;
    int ticks = 0;
    call.failover.client = {.cancellation = &cancellation, .on_tick = [&ticks] { ++ticks; }};
    BOOST_TEST(call.run(programs.provider("sk-own")) == "served");
    BOOST_REQUIRE(call.tried.size() == 1U);
    BOOST_TEST(call.tried[0] == "sk-own openai https://api.example/v1");
    BOOST_TEST(call.cancellation == &cancellation);
    BOOST_TEST(call.on_the_loop);
    BOOST_TEST(ticks == 1); // for each key
    BOOST_TEST(call.readers != nullptr);
    BOOST_TEST(programs.asked.empty()); // the first key came with the begin
}

BOOST_AUTO_TEST_CASE(keys_share_the_time_of_the_call) {
    Programs programs;
    TestCall call{programs};
    call.run(programs.provider("sk-own"));
    BOOST_TEST((call.limits.total <= std::chrono::seconds{40}));
    BOOST_TEST((call.limits.total > std::chrono::seconds{0}));
    BOOST_TEST((call.limits.connect <= std::chrono::seconds{10}));
    BOOST_TEST((programs.execute.upstream.chat_limits().total == std::chrono::seconds{600}));
    BOOST_TEST((programs.execute.upstream.relay_limits().total > std::chrono::hours{1}));
    BOOST_TEST(programs.execute.upstream.list_limits().answer_bytes == 8U * 1024 * 1024);
    BOOST_TEST(programs.execute.upstream.chat_limits().answer_bytes == 4U * 1024 * 1024);
}

// A reasoning model is silent for minutes, before its answer and in the middle of it.
BOOST_AUTO_TEST_CASE(a_tool_waits_out_more_silence_than_a_person) {
    Programs programs;
    using std::chrono::minutes;
    BOOST_TEST((programs.execute.upstream.relay_limits().silence == minutes{10}));
    BOOST_TEST((programs.execute.upstream.chat_limits().silence == minutes{5}));
    BOOST_TEST((programs.execute.upstream.chat_limits().total >= minutes{10}));
    programs.settings.upstream_silence_timeout = std::chrono::seconds{7};
    BOOST_TEST((programs.execute.upstream.relay_limits().silence == std::chrono::seconds{7}));
    BOOST_TEST((programs.execute.upstream.chat_limits().silence == std::chrono::seconds{7}));
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
    opener::CallProvider provider = programs.provider("sk-own");
    provider.round_robin_accounts = true;
    for (int number = 1; number <= 9; ++number)
        provider.accounts.push_back(programs.key("sk", account_number(number)));
    CallLimits limits = programs.execute.upstream.check_limits();
    limits.requests = rules::max_batch_requests;
    TestCall call{programs, limits};
    call.failover.is_aside = true;
    const KeyFailover::Job refused = [](const adapters::CallTarget&,
                                        const adapters::CallControl& control) -> Task<> {
        control.options.budget->take_request();
        throw adapters::UpstreamError{Reason::key_refused};
    };
    const std::string outcome = call.run(std::move(provider), refused);
    BOOST_TEST(outcome == "failed key_refused");
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
    using Closed = crypto::UnsealError::Reason;
    Programs programs;
    for (const auto& [reason, outcome] : {std::pair{Closed::damaged, "failed key_unavailable"},
                                          {Closed::moved, "failed key_unavailable"},
                                          {Closed::key_unavailable, "failed key_unavailable"},
                                          {Closed::address_changed, "failed address_changed"}}) {
        TestCall call{programs};
        call.prepare = [why = reason](auto& provider) { provider.own_key->opened->key = why; };
        BOOST_TEST(call.run(programs.provider("sk-own")) == outcome);
        BOOST_TEST(call.tried.empty());
    }
}

BOOST_AUTO_TEST_CASE(the_opener_is_asked_for_each_further_key) {
    Programs programs;
    TestCall call{programs};
    call.failover.is_aside = true;
    BOOST_TEST(call.run(with_two(programs, true, true), failing(Reason::key_refused)) ==
               "failed key_refused");
    BOOST_REQUIRE(call.tried.size() == 2U);
    BOOST_TEST(call.tried[1].starts_with("sk-2 "));
    BOOST_REQUIRE(programs.asked.size() == 1U);
    BOOST_TEST(programs.asked[0].account == account_number(2).text());
    BOOST_TEST(programs.asked[0].user == somebody().text());
    BOOST_TEST(!programs.asked[0].with_headers);
}

// The call's session may have ended, or its provider may have been changed, since it began.
BOOST_AUTO_TEST_CASE(no_further_key_is_used_without_a_right_to_it) {
    using Changed = std::function<std::optional<Found>(Found)>;
    const std::tuple<const char*, Changed, const char*> table[] = {
        {"the call has ended", [](auto) { return std::nullopt; }, "failed cancelled"},
        {"the key is gone",
         [](Found found) {
             found.key.reset();
             return found;
         },
         "failed key_unavailable"},
        {"another address",
         [](Found found) {
             found.base_url = "https://evil.example/v1";
             return found;
         },
         "failed address_changed"},
        {"another type",
         [](Found found) {
             found.type = "mistral";
             return found;
         },
         "failed address_changed"},
        {"no store", [](auto) -> std::optional<Found> { throw service_is_busy(); },
         "failed cancelled"},
    };
    for (const auto& [name, change, outcome] : table) {
        Programs programs;
        programs.change = change;
        TestCall call{programs};
        call.failover.is_aside = true;
        BOOST_TEST_CONTEXT(name) {
            BOOST_TEST(call.run(with_two(programs, true, true), failing(Reason::key_refused)) ==
                       outcome);
            BOOST_TEST(call.tried.size() == 1U);
            BOOST_TEST((call.failure_code == "unavailable") == (name == "no store"s));
        }
    }
}

// An account that was removed while the call ran takes no turn from those behind it.
BOOST_AUTO_TEST_CASE(a_key_that_is_gone_is_passed_over) {
    Programs programs;
    auto provider = with_two(programs, true, true);
    provider.accounts.push_back(programs.key("sk-3", account_number(3)));
    programs.change = [](Found found) {
        if (found.key == "sk-2") found.key.reset();
        return found;
    };
    TestCall call{programs};
    call.failover.is_aside = true;
    const std::string outcome = call.run(std::move(provider), refuses_first);
    BOOST_TEST(outcome == "served");
    BOOST_REQUIRE(call.tried.size() == 2U);
    BOOST_TEST(call.tried[1].starts_with("sk-3 "));
}

BOOST_AUTO_TEST_CASE(what_was_not_opened_is_asked_for_with_its_headers) {
    Programs programs;
    programs.change = [](Found found) {
        found.headers["x-tenant"] = "acme corp";
        return found;
    };
    TestCall call{programs};
    call.failover.is_aside = true;
    call.prepare = [](opener::CallProvider& provider) {
        provider.own_key->opened.reset();
        provider.headers.push_back({"x-tenant"});
    };
    std::string sent;
    const KeyFailover::Job job = [&](const adapters::CallTarget&,
                                     const adapters::CallControl& control) -> Task<> {
        for (const net::KeyHeader& header : control.options.own_headers)
            sent += header.name + "=" + std::string{header.key} + ";";
        co_return;
    };
    BOOST_TEST(call.run(programs.provider("sk-own"), job) == "served");
    BOOST_TEST(sent == "x-tenant=acme corp;");
    BOOST_REQUIRE(programs.asked.size() == 1U);
    BOOST_TEST(programs.asked[0].with_headers);
}

using Closed = crypto::UnsealError::Reason;
/// With this header.
std::function<void(opener::CallProvider&)> with_header(const std::string& name,
                                                       std::optional<Closed> closed = {}) {
    return [=](opener::CallProvider& provider) {
        opener::OpenedKey value{crypto::Secret{"acme corp"}, digest_named("header")};
        if (closed) value.key = *closed;
        provider.headers.push_back({name, std::move(value)});
    };
}

BOOST_AUTO_TEST_CASE(the_job_gets_the_opened_headers_with_every_key) {
    Programs programs;
    TestCall call{programs};
    call.prepare = with_header("x-tenant");
    std::string sent;
    const KeyFailover::Job job = [&](const adapters::CallTarget&,
                                     const adapters::CallControl& control) -> Task<> {
        for (const net::KeyHeader& header : control.options.own_headers)
            sent += header.name + "=" + std::string{header.key} + ";";
        throw adapters::UpstreamError{Reason::key_refused};
        co_return;
    };
    call.run(with_two(programs, true, true), job);
    BOOST_TEST(sent == "x-tenant=acme corp;x-tenant=acme corp;");
}

BOOST_AUTO_TEST_CASE(a_header_that_may_not_be_sent_ends_the_call_before_a_key_is_used) {
    Programs programs;
    const auto refused = [&](const std::string& name, std::optional<Closed> closed = {}) {
        TestCall call{programs};
        auto provider = programs.opened(programs.provider("sk-own"));
        with_header(name, closed)(provider);
        std::string reason;
        try {
            run_on(programs.execute.loop, call.failover.run(provider, {}));
        } catch (const Refusal& refusal) {
            reason = std::string{name_of(refusal.code())} + " " + refusal.reason();
            BOOST_TEST(refusal.sentence().english().find("acme") == std::string::npos);
        }
        BOOST_TEST(call.tried.empty());
        return reason;
    };
    BOOST_TEST(refused("x-tenant", Closed::address_changed) == "conflict address_changed");
    BOOST_TEST(refused("x-tenant", Closed::moved) == "conflict key_unavailable");
    BOOST_TEST(refused("cookie") == "conflict key_unavailable");
    programs.settings.provider_cookies = true;
    TestCall call{programs};
    call.prepare = with_header("cookie");
    BOOST_TEST(call.run(programs.provider("sk-own")) == "served");
    BOOST_TEST(refused("host") == "conflict key_unavailable");
}

BOOST_AUTO_TEST_CASE(one_account_alone) {
    Programs programs;
    for (const bool rotating : {false, true}) {
        TestCall call{programs};
        call.failover.only = account_number(2);
        BOOST_TEST(call.run(with_two(programs, rotating, false), failing(Reason::rate_limited)) ==
                   "failed rate_limited");
        BOOST_REQUIRE(call.tried.size() == 1U);
        BOOST_TEST(call.tried[0].starts_with("sk-2 "));
    }
    TestCall stranger{programs};
    stranger.failover.only = account_number(3);
    BOOST_TEST(stranger.run(with_two(programs, true, false)) == "not_found");
}

BOOST_AUTO_TEST_CASE(enabled_accounts_take_turns_else_the_providers_own_key_is_used) {
    Programs programs;
    for (const bool rotating : {false, true})
        for (const bool enabled : {false, true}) {
            auto provider = with_two(programs, rotating, enabled);
            provider.accounts[0].is_enabled = false;
            TestCall call{programs};
            call.run(std::move(provider), failing(Reason::key_refused));
            BOOST_REQUIRE(call.tried.size() == 1U);
            BOOST_TEST(call.tried[0].starts_with(rotating && enabled ? "sk-2 " : "sk-own "));
        }
}

BOOST_AUTO_TEST_CASE(what_can_not_be_called_is_said) {
    Programs programs;
    for (const bool has_key : {false, true}) {
        opener::CallProvider provider = programs.provider("sk-own");
        if (has_key)
            provider.type = nullptr;
        else
            provider.own_key.reset();
        TestCall call{programs};
        const std::string outcome = call.run(std::move(provider));
        BOOST_TEST(outcome == "conflict");
        BOOST_TEST(call.tried.empty());
    }
}

BOOST_AUTO_TEST_CASE(the_key_that_answered_is_told) {
    Programs programs;
    TestCall call{programs};
    call.failover.is_aside = true;
    auto opened = programs.opened(with_two(programs, true, true));
    BOOST_TEST(run_on(programs.execute.loop, call.failover.run(opened, refuses_first)).key_name ==
               "two");
}

std::string word(store::Health health) { return std::string{store::name_of(health)}; }
/// "degraded; a unhealthy 300s; b healthy": the provider, then each key with its cooldown.
std::string shown(HealthCollector& collector) {
    const auto report = collector.take();
    if (!report) return "nothing";
    const auto health = report->health;
    std::string text = health ? word(*health) : "-";
    BOOST_TEST(report->message.empty() == (!health || text == "healthy"));
    for (const store::KeyReport& key : report->keys) {
        text += "; " + key.digest + " " + word(key.health);
        if (key.cooldown) text += " " + std::to_string(key.cooldown->count()) + "s";
        BOOST_TEST(key.message.empty() == (key.health == store::Health::healthy));
    }
    return text;
}
TriedKey key(const std::string& name) { return {{}, name}; }
using Step = std::function<void(HealthCollector&)>;
CallFailure failure(Reason reason, std::optional<seconds> wait = {}) {
    return CallFailure{adapters::UpstreamError{reason, wait}};
}
Step fails(const std::string& name, Reason reason, std::optional<seconds> wait = {}) {
    return [=](HealthCollector& report) { report.failed(key(name), failure(reason, wait)); };
}
Step closed(const std::string& name) {
    return [=](HealthCollector& report) {
        report.failed(key(name), CallFailure{crypto::UnsealError{
                                     crypto::UnsealError::Reason::address_changed}});
    };
}
Step works(const std::string& name, bool others_left_out = false) {
    return [=](HealthCollector& report) { report.succeeded(key(name), others_left_out); };
}

BOOST_AUTO_TEST_CASE(what_a_call_shows) {
    const std::pair<std::vector<Step>, std::string> table[] = {
        {{}, "nothing"},
        {{works("a")}, "healthy; a healthy"},
        {{works("a", true)}, "degraded; a healthy"},
        {{fails("a", Reason::key_refused)}, "unhealthy; a unhealthy 300s"},
        {{fails("a", Reason::rate_limited, seconds{7})}, "unhealthy; a unhealthy 7s"},
        {{closed("a")}, "unhealthy; a unhealthy"},
        {{fails("a", Reason::failed)}, "unhealthy"},
        {{fails("a", Reason::unreachable)}, "unhealthy"},
        {{fails("a", Reason::too_long)}, "nothing"},
        {{fails("a", Reason::cancelled)}, "nothing"},
        {{fails("a", Reason::key_refused), works("b")}, "degraded; a unhealthy 300s; b healthy"},
        {{closed("a"), works("b")}, "degraded; a unhealthy; b healthy"},
        {{fails("a", Reason::failed), works("b")}, "degraded; b healthy"},
        {{fails("a", Reason::key_refused), fails("b", Reason::rate_limited)},
         "unhealthy; a unhealthy 300s; b unhealthy 30s"},
        {{fails("a", Reason::key_refused), fails("b", Reason::too_long)},
         "degraded; a unhealthy 300s"},
        {{fails("a", Reason::key_refused), fails("b", Reason::cancelled)},
         "unhealthy; a unhealthy 300s"},
    };
    int number = 0;
    for (const auto& [steps, expected] : table) {
        const auto provider = bare_provider();
        HealthCollector report{provider, {}};
        for (const Step& step : steps) step(report);
        BOOST_TEST_CONTEXT("row " << number++) { BOOST_TEST(shown(report) == expected); }
    }
}

BOOST_AUTO_TEST_CASE(an_account_tested_alone_reports_no_more_than_it_can) {
    enum Others { none, good, bad };
    const std::tuple<const char*, bool, Others, Step, std::string> table[] = {
        {"the only one works", true, none, works("a"), "healthy; a healthy"},
        {"the only one is refused", true, none, fails("a", Reason::key_refused),
         "unhealthy; a unhealthy 300s"},
        {"one works, the other does", true, good, works("a"), "healthy; a healthy"},
        {"one works, the other was refused", true, bad, works("a"), "degraded; a healthy"},
        {"one is refused, the other works", true, good, fails("a", Reason::key_refused),
         "degraded; a unhealthy 300s"},
        {"one is refused like the other", true, bad, fails("a", Reason::key_refused),
         "unhealthy; a unhealthy 300s"},
        {"nothing answers", true, good, fails("a", Reason::unreachable), "unhealthy; a unhealthy"},
        {"the request's fault", true, good, fails("a", Reason::too_long), "nothing"},
        {"one that is not in use works", false, bad, works("a"), "-; a healthy"},
        {"one that is not in use is refused", false, good, fails("a", Reason::key_refused),
         "-; a unhealthy 300s"},
    };
    for (const auto& [name, in_use, others, step, expected] : table) {
        auto provider = bare_provider();
        provider.round_robin_accounts = true;
        for (const char* key_name : {"a", "b"}) provider.accounts.push_back(bare_key(key_name));
        provider.accounts[0].account = account_number(1);
        provider.accounts[0].is_enabled = in_use;
        provider.accounts[1].account = account_number(2);
        provider.accounts[1].is_unhealthy = others == bad;
        provider.accounts[1].is_enabled = others != none;
        HealthCollector report{provider, account_number(1)};
        step(report);
        BOOST_TEST_CONTEXT(name) { BOOST_TEST(shown(report) == expected); }
    }
}

BOOST_AUTO_TEST_CASE(the_whole_calls_reason_is_the_providers) {
    const auto provider = bare_provider();
    HealthCollector collector{provider, {}};
    fails("a", Reason::key_refused)(collector);
    fails("b", Reason::failed)(collector);
    auto whole = failure(Reason::failed);
    whole.sentence = "Neither worked."_en;
    collector.explain(whole);
    const auto report = collector.take();
    BOOST_REQUIRE(report);
    BOOST_TEST(report->message == "Neither worked.");
    BOOST_TEST(report->keys.at(0).message == failure(Reason::key_refused).sentence.stored());
}

BOOST_AUTO_TEST_CASE(what_ended_the_call_is_not_the_providers_fault) {
    const auto provider = bare_provider();
    HealthCollector collector{provider, {}};
    fails("a", Reason::key_refused)(collector);
    collector.explain(failure(Reason::cancelled));
    const auto report = collector.take();
    BOOST_REQUIRE(report);
    BOOST_TEST(report->message == failure(Reason::key_refused).sentence.stored());
}
} // namespace
