// Access tokens that their owner changes: other limits, another secret, off and on; and the mail
// before one ends.
#include "domain/rules.hpp"
#include "store/store_fixture.hpp"

#include <string_view>

namespace usershell::store {

BOOST_AUTO_TEST_SUITE(token_changes)

BOOST_FIXTURE_TEST_CASE(a_change_takes_a_sign_in_for_it_and_is_an_event_with_a_mail, Holder) {
    TokenLimits limits = some_limits();
    limits.providers = {provider};
    limits.models = {provider.text() + "/m"};
    limits.routes = {"chat"};
    limits.tokens_a_day = 7;
    has(limits);
    const Timestamp end = only().expires_at;
    TokenLimits wider{.name = "desk", .requests_a_minute = 200, .stored_objects = true};
    BOOST_TEST((changes(wider, "password") == TokenChange::session_ended));
    BOOST_TEST((only().name == "laptop" && only().requests_a_minute == 100));
    BOOST_TEST((changes(wider) == TokenChange::changed));
    const AccessToken token = only();
    BOOST_TEST((token.name == "desk" && token.requests_a_minute == 200 && token.stored_objects));
    BOOST_TEST((!token.providers && !token.models && !token.routes && !token.tokens_a_day));
    BOOST_TEST((token.expires_at == end && token.selector == made.selector));
    wider.lifetime = 48h;
    limits.lifetime = 12h;
    BOOST_TEST((changes(wider) == TokenChange::changed && only().expires_at > end));
    BOOST_TEST((changes(limits) == TokenChange::changed && only().expires_at < end));
    BOOST_TEST((only().provider_ids.value() == std::vector<std::string>{provider.text()}));
    BOOST_TEST((only().model_ids == limits.models && only().routes == limits.routes));
    BOOST_TEST(told() == "token_changed laptop token_changed desk token_changed desk "
                         "token_made laptop ");
    BOOST_TEST(waiting() == "token_changed desk token_changed desk token_changed laptop ");
}

BOOST_FIXTURE_TEST_CASE(nobody_changes_anothers_token_or_one_that_has_ended, Holder) {
    has();
    Holder other;
    other.id = id;
    BOOST_TEST((other.changes(some_limits()) == TokenChange::not_found));
    other.made.selector = made.selector;
    BOOST_TEST((other.renews(1h) == TokenChange::not_found));
    BOOST_TEST(!disable_token(other.auth.lease, id));
    BOOST_TEST((enable_token(other.auth.lease, proven(other.owner, "token").id, id) ==
                TokenChange::not_found));
    BOOST_TEST((is_good(made) && told() == "token_made laptop "));
    other.has();
    TokenLimits theirs = some_limits();
    theirs.providers = {other.provider};
    BOOST_TEST((changes(theirs) == TokenChange::not_found));
    theirs.providers.clear();
    theirs.models = {other.provider.text() + "/m"};
    BOOST_TEST((changes(theirs) == TokenChange::not_found));
    as_superuser("UPDATE usershell.access_tokens SET expires_at = now() WHERE id = $1", id.text());
    BOOST_TEST((changes(some_limits()) == TokenChange::not_found));
    BOOST_TEST((renews(1h) == TokenChange::not_found));
    BOOST_TEST((enable_token(auth.lease, proven(owner, "token").id, id) == TokenChange::not_found));
    BOOST_TEST(tokens().empty());
}

BOOST_FIXTURE_TEST_CASE(a_renewed_token_has_two_secrets_for_a_while, Holder) {
    has();
    const auto first = made;
    const CallId running = call();
    const auto goes_on = [&] { return renew_calls(executing.lease, {running}).size() == 1U; };
    BOOST_TEST((renews(1h, "password") == TokenChange::session_ended));
    made = first;
    BOOST_TEST((renews(1h) == TokenChange::changed));
    const auto second = made;
    BOOST_TEST((is_good(first) && is_good(second) && goes_on()));
    BOOST_TEST((!is_good({first.selector, second.verifier}) &&
                !is_good({second.selector, first.verifier})));
    BOOST_TEST((only().selector == second.selector && only().old_selector == first.selector));
    BOOST_TEST(waiting() == "token_renewed laptop ");
    made = first; // a form that is sent twice
    BOOST_TEST((renews(1h) == TokenChange::not_found));
    made = second;
    BOOST_TEST((renews(1h) == TokenChange::changed));
    BOOST_TEST((!is_good(first) && is_good(second) && is_good(made) && !goes_on()));
    as_superuser("UPDATE usershell.access_tokens SET old_expires_at = now() WHERE id = $1",
                 id.text());
    BOOST_TEST((!is_good(second) && is_good(made) && only().old_selector.empty()));
    const auto third = made;
    BOOST_TEST((renews(0s) == TokenChange::changed));
    BOOST_TEST((!is_good(third) && is_good(made)));
    // A repeat, whose first answer was lost.
    BOOST_TEST((renew_token(auth.lease, proven(owner).id, id, third.selector, made, 1h) ==
                TokenChange::changed));
    BOOST_TEST(!is_good(third));
}

BOOST_FIXTURE_TEST_CASE(both_secrets_have_one_set_of_limits, Holder) {
    TokenLimits limits = some_limits();
    limits.requests_a_minute = 2;
    has(limits);
    const auto first = made;
    renews(1h);
    const auto calls = [&](const crypto::TokenProof& proof) {
        return begin_token_call(opening.lease, {proof, "chat", "", {}}).value().outcome;
    };
    BOOST_TEST((calls(first) == TokenOutcome::begun && calls(made) == TokenOutcome::begun));
    BOOST_TEST((calls(first) == TokenOutcome::too_many_requests));
    limits.routes = {"messages"};
    changes(limits);
    BOOST_TEST((calls(first) == TokenOutcome::route_not_allowed));
}

BOOST_FIXTURE_TEST_CASE(what_ends_a_token_ends_both_its_secrets, Holder) {
    const std::pair<const char*, void (*)(Holder&)> ends[] = {
        {"revoked", [](Holder& h) { revoke_token(h.auth.lease, h.id); }},
        {"switched off", [](Holder& h) { disable_token(h.auth.lease, h.id); }},
        {"by the operator",
         [](Holder& h) { operator_revoke_tokens(h.operating.lease, h.owner, h.id, {}); }},
        {"its end",
         [](Holder& h) {
             as_superuser("UPDATE usershell.access_tokens SET expires_at = now() WHERE id = $1",
                          h.id.text());
         }},
        {"an end that was brought forward",
         [](Holder& h) {
             TokenLimits limits = some_limits();
             limits.lifetime = 1s;
             h.changes(limits);
             as_superuser("UPDATE usershell.access_tokens SET expires_at = expires_at - interval "
                          "'1 second' WHERE id = $1",
                          h.id.text());
         }},
        {"a change of the password", [](Holder& h) {
             BOOST_TEST(change_password(h.auth.lease, proven(h.owner, "password").id, "other",
                                        some_keys(), {})
                            .has_value());
             h.auth.lease.present(session_of(h.owner).auth_token_hash);
         }}};
    for (const auto& [what, end] : ends) {
        has();
        const auto first = made;
        BOOST_TEST((renews(7 * 24h) == TokenChange::changed), what);
        BOOST_TEST((is_good(first) && is_good(made)), what);
        end(*this);
        BOOST_TEST((!is_good(first) && !is_good(made)), what);
        BOOST_TEST((std::string_view{what} == "switched off" || renews(1h) != TokenChange::changed),
                   what);
    }
}

BOOST_FIXTURE_TEST_CASE(a_token_that_is_off_does_nothing_until_it_is_on, Holder) {
    has();
    const CallId running = call();
    BOOST_TEST(disable_token(auth.lease, id));
    BOOST_TEST((!begins() && renew_calls(executing.lease, {running}).empty()));
    BOOST_TEST(!loads(running, provider, "m"));
    BOOST_TEST(!next_key(opening.lease, running, provider, std::nullopt, false));
    BOOST_TEST(!only().enabled);
    BOOST_TEST(disable_token(auth.lease, id)); // it is off, and there is no second event
    const auto switched_on = [&](const char* deed) {
        return enable_token(auth.lease, proven(owner, deed).id, id);
    };
    BOOST_TEST((switched_on("password") == TokenChange::session_ended && !begins()));
    BOOST_TEST((switched_on("token") == TokenChange::changed && begins()));
    BOOST_TEST(told() == "token_enabled laptop token_disabled laptop token_made laptop ");
    BOOST_TEST(waiting() == "token_enabled laptop ");
    // A token that is off counts: else there could be more than the cap.
    for (int i = 1; i < rules::max_access_tokens; ++i) has();
    disable_token(auth.lease, id);
    BOOST_TEST((makes(some_limits()) == TokenStart::cap_reached));
}

BOOST_FIXTURE_TEST_CASE(a_week_before_its_end_its_owner_is_told_once, Holder) {
    TokenLimits limits = some_limits();
    const auto swept = [&] {
        while (sweep_tokens(auth.lease, 100) > 0) {
        }
        return waiting();
    };
    limits.lifetime = 7 * 24h; // a choice that needs no reminder
    has(limits);
    BOOST_TEST(swept().empty());
    limits.lifetime = 30 * 24h;
    has(limits);
    BOOST_TEST(swept().empty());
    as_superuser("UPDATE usershell.access_tokens SET end_set_at = end_set_at - interval '23 days', "
                 "expires_at = expires_at - interval '23 days' WHERE id = $1",
                 id.text());
    {
        pqxx::connection thief{test_database().as_superuser()};
        pqxx::work kept_open{thief};
        libpqxx::query(kept_open, "SELECT FROM usershell.users WHERE id = $1 FOR UPDATE",
                       owner.text());
        BOOST_TEST(swept().empty()); // and no other person's waits
    }
    const auto before = swept();
    BOOST_TEST(before.ends_with("token_ends laptop "));
    BOOST_TEST(swept() == before);
    changes({.name = "laptop", .requests_a_minute = 5}); // its end stays
    BOOST_TEST(swept() == before + "token_changed laptop ");
    as_superuser("UPDATE usershell.events SET announced_at = now() - interval '2 hours' "
                 "WHERE owner_id = $1",
                 owner.text());
    changes(limits);
    as_superuser("UPDATE usershell.access_tokens SET end_set_at = end_set_at - interval '24 days', "
                 "expires_at = expires_at - interval '24 days' WHERE id = $1",
                 id.text());
    BOOST_TEST(swept().ends_with("token_ends laptop "));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace usershell::store
