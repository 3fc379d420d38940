#include "execute/calls/health_collector.hpp"
#include "tests/unit/execute/support.hpp"
using namespace usershell::execute;
using adapters::Reason;
using std::chrono::seconds;
namespace {
std::string word(store::Health health) { return std::string{store::name_of(health)}; }
/// "degraded; a unhealthy 300s; b healthy": the provider, then each key with its cooldown.
std::string shown(HealthCollector& collector) {
    const auto report = collector.take();
    if (!report) return "nothing";
    const auto health = report->health;
    std::string text = health ? word(*health) : "-";
    BOOST_TEST(report->message.empty() == (!health || text == "healthy"));
    for (const store::KeyReport& key : report->keys) {
        text += "; " + key.sealed + " " + word(key.health);
        if (key.cooldown) text += " " + std::to_string(key.cooldown->count()) + "s";
        BOOST_TEST(key.message.empty() == (key.health == store::Health::healthy));
    }
    return text;
}
store::CallKey key(const std::string& name) {
    store::CallKey made = bare_key(name);
    made.sealed = crypto::SealedKey{name};
    return made;
}
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
        provider.accounts = {key("a"), key("b")};
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
} // namespace
