#include "execute/findings.hpp"

#include "tests/unit/execute/support.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>
#include <vector>

using namespace usershell;
using namespace usershell::test;
using std::chrono::seconds;
using Kind = UpstreamError::Kind;

namespace {

std::string word(Health health) {
    switch (health) {
    case Health::healthy:
        return "healthy";
    case Health::degraded:
        return "degraded";
    case Health::unhealthy:
        return "unhealthy";
    }
    return "?";
}

/// "degraded; a unhealthy 300s; b healthy": the provider, then each key with its pause.
std::string shown(const Findings& findings) {
    if (!findings.any()) return "nothing";
    std::string text = word(findings.record().health);
    BOOST_TEST(findings.record().message.empty() == (text == "healthy"));
    for (const KeyFinding& key : findings.record().keys) {
        text += "; " + key.sealed + " " + word(key.health);
        if (key.cool_down) text += " " + std::to_string(key.cool_down->count()) + "s";
        BOOST_TEST(key.message.empty() == (key.health == Health::healthy));
    }
    return text;
}

CallKey key(const std::string& name) {
    CallKey made = bare_key(name);
    made.sealed = SealedKey{name};
    return made;
}

using Step = std::function<void(Findings&)>;

Step fails(const std::string& name, Kind kind, std::optional<seconds> wait = {},
           bool alone = false) {
    return [=](Findings& findings) {
        findings.failed(key(name), UpstreamError{kind, {}, wait}, alone);
    };
}
Step closed(const std::string& name) {
    return [=](Findings& findings) {
        findings.failed(key(name), UnsealError{UnsealError::Reason::other_origin});
    };
}
Step works(const std::string& name, bool others_left_out = false) {
    return [=](Findings& findings) { findings.succeeded(key(name), others_left_out); };
}

} // namespace

BOOST_AUTO_TEST_SUITE(findings)

BOOST_AUTO_TEST_CASE(what_a_call_shows) {
    const struct {
        std::vector<Step> steps;
        std::string shown;
    } table[] = {
        {{}, "nothing"},
        {{works("a")}, "healthy; a healthy"},
        {{works("a", true)}, "degraded; a healthy"},
        {{fails("a", Kind::key_refused)}, "unhealthy; a unhealthy 300s"},
        {{fails("a", Kind::rate_limited)}, "unhealthy; a unhealthy 30s"},
        {{fails("a", Kind::rate_limited, seconds{7})}, "unhealthy; a unhealthy 7s"},
        {{fails("a", Kind::no_credit)}, "unhealthy; a unhealthy 30s"},
        {{closed("a")}, "unhealthy; a unhealthy"},
        {{fails("a", Kind::provider_failed)}, "unhealthy"},
        {{fails("a", Kind::unreachable)}, "unhealthy"},
        {{fails("a", Kind::unreachable, {}, true)}, "unhealthy; a unhealthy"},
        {{fails("a", Kind::context_too_long)}, "nothing"},
        {{fails("a", Kind::context_too_long, {}, true)}, "nothing"},
        {{fails("a", Kind::refused_by_policy)}, "nothing"},
        {{fails("a", Kind::cancelled)}, "nothing"},
        {{fails("a", Kind::key_refused), works("b")}, "degraded; a unhealthy 300s; b healthy"},
        {{closed("a"), works("b")}, "degraded; a unhealthy; b healthy"},
        {{fails("a", Kind::provider_failed), works("b")}, "degraded; b healthy"},
        {{fails("a", Kind::key_refused), fails("b", Kind::rate_limited)},
         "unhealthy; a unhealthy 300s; b unhealthy 30s"},
        {{fails("a", Kind::key_refused), fails("b", Kind::context_too_long)},
         "degraded; a unhealthy 300s"},
        {{fails("a", Kind::key_refused), fails("b", Kind::cancelled)},
         "unhealthy; a unhealthy 300s"},
    };
    int number = 0;
    for (const auto& row : table) {
        Findings findings{bare_provider()};
        for (const Step& step : row.steps) step(findings);
        BOOST_TEST(shown(findings) == row.shown, "row " << number << ": " << shown(findings));
        ++number;
        BOOST_TEST(findings.record().provider.text() == some_provider().text());
        BOOST_TEST(findings.record().base_url == "https://api.example/v1");
    }
}

BOOST_AUTO_TEST_CASE(the_last_reason_is_the_providers) {
    Findings findings{bare_provider()};
    fails("a", Kind::key_refused)(findings);
    fails("b", Kind::provider_failed)(findings);
    BOOST_TEST(findings.record().message == UpstreamError{Kind::provider_failed}.sentence());
}

BOOST_AUTO_TEST_CASE(another_key_is_worth_a_try_after_failures_that_may_be_this_ones) {
    const std::pair<Kind, bool> table[] = {
        {Kind::key_refused, true},       {Kind::no_credit, true},
        {Kind::rate_limited, true},      {Kind::provider_failed, true},
        {Kind::unreachable, true},       {Kind::unknown_model, false},
        {Kind::context_too_long, false}, {Kind::refused_by_policy, false},
        {Kind::rejected, false},         {Kind::forbidden_address, false},
        {Kind::cancelled, false},
    };
    for (const auto& [kind, worth] : table) {
        Findings findings{bare_provider()};
        BOOST_TEST(findings.worth_another_key());
        fails("a", kind)(findings);
        BOOST_TEST(findings.worth_another_key() == worth, UpstreamError{kind}.kind_name());
        closed("b")(findings);
        BOOST_TEST(findings.worth_another_key());
    }
}

BOOST_AUTO_TEST_SUITE_END()
