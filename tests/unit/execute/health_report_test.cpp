#include "execute/health_report.hpp"

#include "tests/unit/execute/support.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>
#include <vector>

using namespace usershell;
using namespace usershell::execute;
using namespace usershell::test;
using adapters::Reason;
using std::chrono::seconds;

namespace {

std::string word(store::Health health) { return std::string{store::name_of(health)}; }

/// "degraded; a unhealthy 300s; b healthy": the provider, then each key with its pause.
std::string shown(const HealthReport& report) {
    if (!report.any()) return "nothing";
    std::string text = word(report.record().health);
    BOOST_TEST(report.record().message.empty() == (text == "healthy"));
    for (const store::KeyHealth& key : report.record().keys) {
        text += "; " + key.sealed + " " + word(key.health);
        if (key.cool_down) text += " " + std::to_string(key.cool_down->count()) + "s";
        BOOST_TEST(key.message.empty() == (key.health == store::Health::healthy));
    }
    return text;
}

store::CallKey key(const std::string& name) {
    store::CallKey made = bare_key(name);
    made.sealed = crypto::SealedKey{name};
    return made;
}

using Step = std::function<void(HealthReport&)>;

Step fails(const std::string& name, Reason reason, std::optional<seconds> wait = {},
           bool alone = false) {
    return [=](HealthReport& report) {
        report.failed(key(name), adapters::UpstreamError{reason, {}, wait}, alone);
    };
}
Step closed(const std::string& name) {
    return [=](HealthReport& report) {
        report.failed(key(name), crypto::UnsealError{crypto::UnsealError::Reason::address_changed});
    };
}
Step works(const std::string& name, bool others_left_out = false) {
    return [=](HealthReport& report) { report.succeeded(key(name), others_left_out); };
}

} // namespace

BOOST_AUTO_TEST_SUITE(report)

BOOST_AUTO_TEST_CASE(what_a_call_shows) {
    const struct {
        std::vector<Step> steps;
        std::string shown;
    } table[] = {
        {{}, "nothing"},
        {{works("a")}, "healthy; a healthy"},
        {{works("a", true)}, "degraded; a healthy"},
        {{fails("a", Reason::key_refused)}, "unhealthy; a unhealthy 300s"},
        {{fails("a", Reason::rate_limited, seconds{7})}, "unhealthy; a unhealthy 7s"},
        {{fails("a", Reason::out_of_credit)}, "unhealthy; a unhealthy 30s"},
        {{closed("a")}, "unhealthy; a unhealthy"},
        {{fails("a", Reason::failed)}, "unhealthy"},
        {{fails("a", Reason::unreachable)}, "unhealthy"},
        {{fails("a", Reason::unreachable, {}, true)}, "unhealthy; a unhealthy"},
        {{fails("a", Reason::too_long)}, "nothing"},
        {{fails("a", Reason::too_long, {}, true)}, "nothing"},
        {{fails("a", Reason::unknown_model)}, "nothing"},
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
    for (const auto& row : table) {
        HealthReport report{bare_provider()};
        for (const Step& step : row.steps) step(report);
        BOOST_TEST(shown(report) == row.shown, "row " << number << ": " << shown(report));
        ++number;
        BOOST_TEST(report.record().provider.text() == some_provider().text());
        BOOST_TEST(report.record().base_url == "https://api.example/v1");
    }
}

BOOST_AUTO_TEST_CASE(the_last_reason_is_the_providers) {
    HealthReport report{bare_provider()};
    fails("a", Reason::key_refused)(report);
    fails("b", Reason::failed)(report);
    BOOST_TEST(report.record().message == adapters::UpstreamError{Reason::failed}.sentence());
}

BOOST_AUTO_TEST_CASE(another_key_is_tried_as_the_last_failure_says) {
    HealthReport report{bare_provider()};
    BOOST_TEST(report.may_try_another_key());
    fails("a", Reason::too_long)(report);
    BOOST_TEST(!report.may_try_another_key());
    closed("b")(report);
    BOOST_TEST(report.may_try_another_key());
}

BOOST_AUTO_TEST_SUITE_END()
