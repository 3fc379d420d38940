// Access tokens: made and revoked by their owner, and what the calls that begin with one may do.
#include "domain/rules.hpp"
#include "store/store_fixture.hpp"
#include "store/users/user_admin.hpp"

#include <algorithm>
#include <future>
#include <vector>

namespace usershell::store {

namespace {

const std::string nil = "00000000-0000-0000-0000-000000000000";

} // namespace

BOOST_AUTO_TEST_SUITE(access_tokens)

BOOST_FIXTURE_TEST_CASE(one_is_made_with_its_limits_an_event_and_a_mail, Holder) {
    TokenLimits limits = some_limits();
    limits.providers = {provider};
    limits.models = {provider.text() + "/m"};
    limits.routes = {"chat"};
    limits.tokens_a_day = 5'000'000'000;
    limits.stored_objects = true;
    const QueuedMail notice{crypto::random_id<MailId>(), "token-made",
                            crypto::SealedMail{some_envelope(2)}};
    BOOST_REQUIRE((makes(limits, notice) == TokenStart::made));
    const auto tokens = own_tokens(auth.lease);
    BOOST_REQUIRE(tokens.size() == 1U);
    const AccessToken& token = tokens.front();
    BOOST_TEST((token.id == id));
    BOOST_TEST(token.selector == made.selector);
    BOOST_TEST((token.providers.value() == std::vector<std::string>{"Some provider"}));
    BOOST_TEST((token.models == std::vector<std::string>{"m@some-provider"}));
    BOOST_TEST((token.routes == limits.routes && token.tokens_a_day == limits.tokens_a_day));
    BOOST_TEST(token.stored_objects);
    BOOST_TEST((token.expires_at - token.created_at == 24h && !token.last_used_at));
    BOOST_TEST(told() == "token_made laptop ");
    BOOST_TEST(rows_in("outbox", owner) == 1U);
    as_superuser("DELETE FROM usershell.models WHERE owner_id = $1", owner.text());
    BOOST_TEST(own_tokens(auth.lease).front().models.value().empty());
    // A repeat, whose first answer was lost.
    BOOST_TEST(
        (make_token(auth.lease, proven(owner).id, id, made, limits, {}) == TokenStart::made));
    BOOST_TEST(own_tokens(auth.lease).size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(none_is_made_beyond_the_cap_or_for_others_things, Holder) {
    const Holder other;
    TokenLimits limits = some_limits();
    limits.providers = {other.provider};
    BOOST_TEST((makes(limits) == TokenStart::not_found));
    limits.providers.clear();
    limits.models = {other.provider.text() + "/m"};
    BOOST_TEST((makes(limits) == TokenStart::not_found));
    for (int i = 0; i < rules::max_access_tokens; ++i) has();
    BOOST_TEST((makes(some_limits()) == TokenStart::cap_reached));
}

BOOST_FIXTURE_TEST_CASE(its_owner_and_the_operator_revoke_it, Holder) {
    has();
    Holder other;
    BOOST_TEST(!revoke_token(other.auth.lease, id));
    BOOST_TEST((outcome() == TokenOutcome::begun));
    BOOST_TEST(revoke_token(auth.lease, id));
    BOOST_TEST(!begins());
    BOOST_TEST(told() == "token_revoked laptop token_made laptop ");
    for (int i = 0; i < 3; ++i) has();
    as_superuser("UPDATE usershell.access_tokens SET created_at = '2026-01-31 23:59:59Z' "
                 "WHERE id = $1",
                 id.text());
    BOOST_TEST(list_tokens(operating.lease, owner).size() == 3U);
    const auto revoke = [&](const auto& which, const std::optional<std::string>& since) {
        return operator_revoke_tokens(operating.lease, owner, which, since);
    };
    const std::optional<AccessTokenId> all;
    BOOST_TEST(operator_revoke_tokens(operating.lease, other.owner, all, {}) == 0);
    BOOST_TEST(revoke(all, "2026-02-01") == 2);
    BOOST_TEST(revoke(all, "2026-01-31") == 1);
    has();
    BOOST_TEST(revoke(std::optional{id}, {}) == 1);
}

BOOST_FIXTURE_TEST_CASE(a_change_of_the_password_keeps_those_that_were_chosen, Holder) {
    TokenLimits limits = some_limits();
    has(limits);
    limits.name = "kept";
    has(limits);
    const Holder other;
    BOOST_TEST(change_password(auth.lease, proven(owner, "password").id, "other", some_keys(),
                               {id, other.id, crypto::random_id<AccessTokenId>()})
                   .has_value());
    auth.lease.present(session_of(owner).auth_token_hash);
    BOOST_TEST(tokens() == "kept ");
    BOOST_TEST((outcome() == TokenOutcome::begun));
    set_disabled(operating.lease, owner, true);
    BOOST_TEST(!begins());
    set_disabled(operating.lease, owner, false);
    BOOST_TEST(!begins());
}

BOOST_FIXTURE_TEST_CASE(what_has_ended_is_swept, Holder) {
    has();
    outcome();
    has();
    as_superuser("UPDATE usershell.access_tokens SET expires_at = now() WHERE owner_id = $1",
                 owner.text());
    for (const char* age : {"400", "401"})
        as_superuser("INSERT INTO usershell.usage VALUES ($1, usershell.utc_day() - $2::integer, "
                     "$3, $3, 'm', 1, 0, 0, 1, 1)",
                     owner.text(), age, nil);
    while (sweep_tokens(auth.lease, 100) > 0) {
    }
    BOOST_TEST(rows_in("access_tokens", owner) == 0U);
    BOOST_TEST(rows_in("token_minutes", owner) == 0U);
    BOOST_TEST(rows_in("usage", owner) == 1U);
}

// The day's limit, too, is kept under a lock that revoking does not wait for.
BOOST_FIXTURE_TEST_CASE(a_call_that_never_commits_holds_up_no_revoking, Holder) {
    TokenLimits limits = some_limits();
    limits.tokens_a_day = 1000;
    has(limits);
    outcome();
    as_superuser("UPDATE usershell.token_uses SET used_at = now() - interval '1 hour'");
    pqxx::connection thief{test_database().as_opener()};
    {
        pqxx::work open{thief};
        const auto begun = open.exec("SELECT outcome FROM usershell.begin_token_call('\\x" +
                                     hex(made.selector) + "', '\\x" + hex(made.verifier) +
                                     "', gen_random_uuid(), 'chat', '', 0, 0, NULL)");
        BOOST_TEST(begun[0][0].as<std::string>() == "begun");
        BOOST_TEST(revoke_token(auth.lease, id)); // waits for nothing: else `unavailable`
        BOOST_TEST(tokens().empty());
    }
    BOOST_TEST(!begins());
    sweep_tokens(auth.lease, 100);
    BOOST_TEST(rows_in("token_uses", owner) == 0U);
    BOOST_TEST(rows_in("token_minutes", owner) == 0U);
}

BOOST_FIXTURE_TEST_CASE(a_call_begins_with_a_good_token_alone, Holder) {
    has();
    set_provider_status(lease, owner, provider, false);
    const auto start = begins().value();
    BOOST_TEST((start.user == owner));
    BOOST_REQUIRE(start.providers.size() == 1U);
    BOOST_TEST(start.providers[0].handle == "some-provider");
    BOOST_TEST(start.providers[0].models.size() == 1U);
    BOOST_TEST(start.providers[0].allowed.empty()); // it is inactive
    BOOST_TEST(own_tokens(auth.lease)[0].last_used_network == "192.0.0.0/16");
    const auto good = made;
    made.verifier[0] ^= 1;
    BOOST_TEST(!begins());
    made = good;
    as_superuser("UPDATE usershell.access_tokens SET expires_at = now() WHERE id = $1", id.text());
    BOOST_TEST(!begins());
}

BOOST_FIXTURE_TEST_CASE(a_token_calls_what_its_limits_allow, Holder) {
    TokenLimits limits = some_limits();
    limits.routes = {"chat", "messages"};
    limits.tokens_a_day = 100;
    limits.requests_a_minute = 2;
    has(limits);
    BOOST_TEST((outcome(0, "embeddings") == TokenOutcome::route_not_allowed));
    BOOST_TEST((outcome(0, "") == TokenOutcome::begun)); // a list of models is no route's
    BOOST_TEST((outcome(101) == TokenOutcome::too_many_tokens));
    as_superuser("DELETE FROM usershell.token_minutes WHERE token_id = $1", id.text());
    const CallId first = begins(60).value().call.value();
    BOOST_TEST((outcome(41) == TokenOutcome::tokens_reserved)); // the first has 60 in reserve
    ends(first, 20, 10);
    BOOST_TEST((outcome(71) == TokenOutcome::tokens_spent));
    BOOST_TEST((outcome(70) == TokenOutcome::begun));
    const auto third = begins(0).value();
    BOOST_TEST((third.outcome == TokenOutcome::too_many_requests));
    BOOST_TEST((third.wait > 0s && third.wait <= 60s));
    as_superuser("UPDATE usershell.token_minutes SET begun_at = now() - interval '1 minute' "
                 "WHERE token_id = $1",
                 id.text());
    BOOST_TEST((outcome() == TokenOutcome::begun));
}

BOOST_FIXTURE_TEST_CASE(a_call_that_may_take_more_than_the_rest_of_the_day_begins_alone, Holder) {
    TokenLimits limits = some_limits();
    limits.tokens_a_day = 100;
    has(limits);
    const auto begins_with = [&](TokenNeed need) {
        return begin_token_call(opening.lease, {made, "chat", "", need}).value();
    };
    const auto late = begins_with({}).call.value(); // its body is not known
    const auto large = begins_with({10, 500}).call.value();
    BOOST_TEST((begins_with({1, 1}).outcome == TokenOutcome::tokens_reserved));
    const auto loaded = [&](TokenNeed need) {
        return load_provider(opening.lease, late, provider, "m", need).value();
    };
    BOOST_TEST((loaded({1, 1}).outcome == TokenOutcome::tokens_reserved));
    BOOST_TEST(!next_key(opening.lease, late, provider, std::nullopt, false));
    BOOST_TEST((loaded({101, 1}).outcome == TokenOutcome::too_many_tokens));
    ends(large, 10, 60);
    BOOST_TEST((loaded({31, 1}).outcome == TokenOutcome::tokens_spent));
    BOOST_TEST((loaded({1, 20}).outcome == TokenOutcome::begun));
    BOOST_TEST(loaded({1, 20}).provider.has_value()); // its own reserve does not count
    BOOST_TEST((outcome(10) == TokenOutcome::tokens_reserved));
    BOOST_TEST((outcome(9) == TokenOutcome::begun));
    ends(late, 1, 200);
    BOOST_TEST((outcome(0) == TokenOutcome::tokens_spent));
    BOOST_TEST((outcome(0, "") == TokenOutcome::begun));
}

BOOST_FIXTURE_TEST_CASE(calls_at_once_do_not_reserve_the_same_tokens, Holder) {
    TokenLimits limits = some_limits();
    limits.tokens_a_day = 100;
    has(limits);
    std::vector<std::future<TokenOutcome>> calls;
    calls.reserve(16);
    for (int i = 0; i < 16; ++i)
        calls.push_back(std::async(std::launch::async, [this] {
            Opening own;
            return begin_token_call(own.lease, {made, "chat", "", {10, 30}}).value().outcome;
        }));
    BOOST_TEST(std::ranges::count_if(
                   calls, [](auto& call) { return call.get() == TokenOutcome::begun; }) == 2);
}

BOOST_FIXTURE_TEST_CASE(tokens_have_slots_of_their_own, Holder) {
    has();
    for (int i = 0; i < rules::max_token_calls; ++i) BOOST_TEST((outcome() == TokenOutcome::begun));
    BOOST_TEST((outcome() == TokenOutcome::no_slot));
    const std::string session = session_of(owner).calls_token_hash;
    for (int i = 0; i < rules::max_calls; ++i)
        BOOST_TEST(begin_call(opening.lease, session).has_value());
    BOOST_TEST(!begin_call(opening.lease, session));
}

BOOST_FIXTURE_TEST_CASE(a_call_has_no_key_that_it_may_not_try, Holder) {
    has();
    const AccountId on = add_account("on"), off = add_account("off");
    set_account_enabled(lease, owner, provider, off, false);
    const CallId its = call();
    BOOST_REQUIRE(loads(its, provider, "m"));
    const auto has_key = [&](const std::optional<AccountId>& of) {
        return next_key(opening.lease, its, provider, of, false).value().key.has_value();
    };
    BOOST_TEST((has_key(std::nullopt) && !has_key(on) && !has_key(off)));
    as_superuser("UPDATE usershell.providers SET round_robin_accounts = true WHERE id = $1",
                 provider.text());
    BOOST_TEST((has_key(on) && !has_key(off)));
    BOOST_TEST(!has_key(std::nullopt)); // the own one waits until no account takes turns
}

BOOST_FIXTURE_TEST_CASE(a_list_of_models_is_no_call, Holder) {
    has();
    const auto start = begin_token_call(opening.lease, {made, "", "", {}, "m"}).value();
    BOOST_TEST((start.outcome == TokenOutcome::begun && !start.call && !start.loaded));
    BOOST_TEST(!start.providers.empty());
    BOOST_TEST(!any("SELECT FROM usershell.calls WHERE owner_id = $1 AND expires_at > now()",
                    owner.text()));
}

// Else a token for some models would lead to every key of its owner.
BOOST_FIXTURE_TEST_CASE(a_call_has_no_key_before_it_has_loaded_a_provider, Holder) {
    has();
    const auto other = crypto::random_id<ProviderId>();
    create_provider(lease, owner, other, some_fields("Other"), some_key());
    const auto has_key = [&](const CallId& of, const ProviderId& from) {
        return next_key(opening.lease, of, from, std::nullopt, true).has_value();
    };
    const CallId late = call();
    for (const ProviderId& each : {provider, other}) BOOST_TEST(!has_key(late, each));
    BOOST_TEST(loads(late, provider, "m"));
    BOOST_TEST((has_key(late, provider) && !has_key(late, other)));
    revoke_token(auth.lease, id);
    BOOST_TEST(!has_key(late, provider));
}

BOOST_FIXTURE_TEST_CASE(a_call_loads_a_provider_within_the_tokens_limits, Holder) {
    add_model("off");
    set_model_enabled(lease, owner, provider, "off", false);
    add_model("other");
    const auto second = crypto::random_id<ProviderId>();
    create_provider(lease, owner, second, some_fields("Second"), some_key());
    store::add_model(lease, owner, second, {"m", "m", "generation"});
    has();
    const CallId free = call();
    BOOST_TEST((loads(free, provider, "m") && loads(free, second, "m")));
    BOOST_TEST((!loads(free, provider, "off") && !loads(free, provider, "none")));
    BOOST_TEST(
        (loads_at_once("m@some-provider") == provider && loads_at_once("other") == provider));
    BOOST_TEST((loads_at_once("second/m") == second && !loads_at_once("m")));
    BOOST_TEST((!loads_at_once("off") && !loads_at_once("none")));
    TokenLimits limits = some_limits();
    limits.providers = {provider};
    limits.models = {provider.text() + "/m", second.text() + "/m"};
    has(limits);
    const CallId limited = call();
    BOOST_TEST(loads(limited, provider, "m"));
    BOOST_TEST((!loads(limited, second, "m") && !loads(limited, provider, "other")));
    BOOST_TEST((loads_at_once("m@some-provider") == provider));
    BOOST_TEST((!loads_at_once("second/m") && !loads_at_once("other")));
    set_provider_status(lease, owner, provider, false);
    BOOST_TEST((!loads(limited, provider, "m") && !loads_at_once("m@some-provider")));
    BOOST_TEST(
        (!loads_at_once("m") && !loads_at_once("m\n"))); // a name has its meaning all the same
    BOOST_TEST(!loads({owner, crypto::random_uuid()}, second, "m"));
}

BOOST_FIXTURE_TEST_CASE(a_call_of_a_revoked_token_is_not_renewed, Holder) {
    has();
    const CallId running = call();
    BOOST_TEST(renew_calls(executing.lease, {running}).size() == 1U);
    revoke_token(auth.lease, id);
    BOOST_TEST(renew_calls(executing.lease, {running}).empty());
    BOOST_TEST(!loads(running, provider, "m"));
}

// As a provider, or a program that was taken over, may tell.
BOOST_FIXTURE_TEST_CASE(usage_has_bounds_whatever_is_told, Holder) {
    has();
    const std::string numbers[] = {"-5",
                                   "0",
                                   "1e9",
                                   "9223372036854775807",
                                   "18446744073709551616",
                                   "1e99",
                                   "\"NaN\"",
                                   "\"Infinity\"",
                                   "null",
                                   "0.4"};
    const std::int64_t most = 1'000'000'000;
    const std::int64_t counted[] = {0, 0, most, most, most, most, most, most, 0, 0};
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < std::size(numbers); ++i) {
        const CallId which = call();
        pqxx::connection connection{test_database().as_execute()};
        pqxx::work work{connection};
        libpqxx::query(work, "SELECT usershell.end_calls($1)",
                       R"([{"owner":")" + which.user.text() + R"(","call":")" + which.id +
                           R"(","usage":[{"provider":")" + provider.text() +
                           R"(","model":"m","failed":false,"estimated":false,"input":)" +
                           numbers[i] + R"(,"output":)" + numbers[i] + "}]}]");
        work.commit();
        sum += counted[i];
        BOOST_TEST(own_usage(auth.lease, 1).at(0).input_tokens == sum, numbers[i]);
        BOOST_TEST(own_usage(auth.lease, 1).at(0).output_tokens == sum, numbers[i]);
    }
    as_superuser("UPDATE usershell.usage SET input_tokens = 1000000000000000");
    ends(call(), 9, 9);
    BOOST_TEST(own_usage(auth.lease, 1).at(0).input_tokens == 1'000'000'000'000'000);
}

BOOST_FIXTURE_TEST_CASE(a_call_whose_end_is_refused_costs_no_other_its_own, Holder) {
    has();
    const CallId good = call();
    const CallId bad = call();
    const CallUsage usage{provider, "m", false, false, 3, 4};
    const CallUsage refused{provider, std::string(300, 'm'), false, false, 3, 4};
    end_calls(executing.lease, {{bad, {}, {refused}}, {good, {}, {usage}}});
    BOOST_TEST(own_usage(auth.lease, 1).size() == 1U);
    BOOST_TEST(own_usage(auth.lease, 1).at(0).input_tokens == 3);
    for (const CallId& each : {good, bad})
        BOOST_TEST(
            value<bool>("SELECT NOT EXISTS (SELECT FROM usershell.calls WHERE id = $1)", each.id));
}

BOOST_FIXTURE_TEST_CASE(usage_is_added_by_day_token_provider_and_model, Holder) {
    has();
    ends(call(), 10, 5);
    ends(call(), 1, 1);
    ends(call(), 7, 7, "another");
    const std::string session = session_of(owner).calls_token_hash;
    ends(begin_call(opening.lease, session).value(), 3, 4);
    ends({owner, crypto::random_uuid()}, 100, 100); // no call
    const auto rows = own_usage(auth.lease, 1);
    BOOST_REQUIRE(rows.size() == 3U); // in the opposite order of ids: the page's is the least
    BOOST_TEST((rows[0].token_name == "laptop" && rows[0].model == "m"));
    BOOST_TEST(rows[0].provider_name == "Some provider");
    BOOST_TEST((rows[0].calls == 2 && rows[0].estimates == 2 && rows[0].failures == 0));
    BOOST_TEST((rows[0].input_tokens == 11 && rows[0].output_tokens == 6));
    BOOST_TEST((rows[1].token_name == "laptop" && rows[1].model == "another"));
    BOOST_TEST(rows[2].token == nil);
    BOOST_TEST(rows[2].output_tokens == 4);
    const auto shown = [&] {
        std::string text;
        for (const auto& [of, row] : usage_sums(auth.lease, 1, 20))
            text += "TPM"[static_cast<int>(of)] + row.token_name + row.provider_name + row.model +
                    " " + std::to_string(row.input_tokens + row.output_tokens) + ";";
        return text;
    };
    BOOST_TEST(shown() == "MSome providerm 24;MSome provideranother 14;PSome provider 38;"
                          "Tlaptop 31;T 7;");
    revoke_token(auth.lease, id);
    BOOST_TEST(own_usage(auth.lease, 1)[0].token_name.empty());
    BOOST_TEST(shown().ends_with("T 31;T 7;"));
    Holder other;
    BOOST_TEST(own_usage(other.auth.lease, 400).empty());
    BOOST_TEST(usage_sums(other.auth.lease, 400, 20).empty());
}

BOOST_FIXTURE_TEST_CASE(what_is_read_of_much_usage_is_bounded, Holder) {
    as_superuser(
        "INSERT INTO usershell.usage SELECT $1, usershell.utc_day() - d, gen_random_uuid(), "
        "gen_random_uuid(), 'm' || n, 1, 0, 0, $2::bigint, 1 "
        "FROM generate_series(0, 29) d, generate_series(1, 2000) n",
        owner.text(), std::int64_t{1'000'000'000'000});
    const auto rows = own_usage(auth.lease, 400);
    BOOST_TEST(rows.size() == 50'000U);
    const auto sums = usage_sums(auth.lease, 30, 20);
    BOOST_TEST(sums.size() == 25U * (1 + 1 + 20)); // the newest 25 days
}

BOOST_FIXTURE_TEST_CASE(a_call_that_was_begun_twice_is_counted_once, Holder) {
    has();
    const CallId running = call();
    as_superuser("UPDATE usershell.calls SET id = $1 WHERE id = $2", running.id, call().id);
    ends(running, 10, 5);
    BOOST_TEST(own_usage(auth.lease, 1).at(0).calls == 1);
    for (int i = 0; i < rules::max_token_calls; ++i) BOOST_TEST((outcome() == TokenOutcome::begun));
}

BOOST_AUTO_TEST_SUITE_END()

// Whose calls would go to it.
BOOST_FIXTURE_TEST_CASE(no_new_provider_has_an_id_that_a_token_names, Holder) {
    const auto anew = [&](const std::string& base_url) {
        pqxx::connection connection{test_database().as_superuser()};
        pqxx::work work{connection};
        const std::string of = " WHERE owner_id = $1 AND id = $2";
        libpqxx::query(work, "DELETE FROM usershell.providers" + of, owner.text(), provider.text());
        libpqxx::query(work,
                       "INSERT INTO usershell.providers (owner_id, id, name, type, base_url) "
                       "VALUES ($1, $2, 'Other', 'openai', $3)",
                       owner.text(), provider.text(), base_url);
        work.commit();
    };
    const auto is_refused = [](const pqxx::sql_error& error) {
        return error.sqlstate() == "22023";
    };
    TokenLimits by_provider = some_limits(), by_model = some_limits();
    by_provider.providers = {provider};
    by_model.models = {provider.text() + "/m"};
    for (const TokenLimits& limits : {by_provider, by_model}) {
        has(limits);
        BOOST_CHECK_EXCEPTION(anew("https://thief.example"), pqxx::sql_error, is_refused);
        BOOST_TEST(loads_at_once("m").has_value());
        revoke_token(auth.lease, id);
    }
    anew("https://thief.example");
}

} // namespace usershell::store
