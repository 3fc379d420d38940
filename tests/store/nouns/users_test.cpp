// Users, their sessions over time (tests/cases/sign_in.case has them from outside), and passwords
// as the database compares them, for a program that may read no hash. Second factors as the
// operator has them.
#include "store/rings.hpp"
#include "store/store_fixture.hpp"
#include "store/users/passwords.hpp"
namespace usershell::store {
BOOST_AUTO_TEST_CASE(the_global_owner_can_neither_sign_in_nor_be_deleted_by_a_program) {
    BOOST_CHECK_THROW(
        as_superuser("UPDATE usershell.users SET is_disabled = false WHERE email = ''"),
        pqxx::check_violation);
    const auto nobody = UserId::parse("00000000-0000-0000-0000-000000000000").value();
    Vouching acting; // it can have no session
    BOOST_TEST(!delete_own_user(acting.lease, crypto::random_id<SignInId>()));
}

BOOST_AUTO_TEST_CASE(an_address_belongs_to_one_user) {
    const TestUser user = add_user();
    Operating owner;
    BOOST_CHECK_EXCEPTION(
        add_user(owner.lease, crypto::random_id<UserId>(), user.email, "Somebody else", "hash"),
        Refusal, refused_as(ErrorCode::conflict));
}

BOOST_AUTO_TEST_CASE(a_deleted_user_takes_everything_along) {
    ProviderOwner user;
    user.add_model("m");
    user.add_account("k");
    set_header(user.lease, user.owner, user.provider, "x-tenant", some_key());
    const Executing executing{user.owner};
    as_superuser("INSERT INTO usershell.rotations VALUES ($1, $2, 1)", user.owner.text(),
                 user.provider.text());
    start_session(*Vouching{}, proven(user.owner), some_session());
    const std::vector<std::string> tables{"sessions", "events",           "providers", "models",
                                          "accounts", "provider_headers", "rotations", "calls"};
    for (const std::string& table : tables) BOOST_TEST(rows_in(table, user.owner) > 0, table);
    as_superuser("DELETE FROM usershell.users WHERE id = $1", user.owner.text());
    for (const std::string& table : tables) BOOST_TEST(rows_in(table, user.owner) == 0, table);
}

BOOST_AUTO_TEST_CASE(a_user_deletes_themself_alone_and_with_a_sign_in_for_it) {
    ProviderOwner user;
    Vouching vouching{user.owner};
    const SignIn sign_in = proven(user.owner, "deletion");
    BOOST_TEST(!delete_own_user(vouching.lease, crypto::random_id<SignInId>()));
    BOOST_TEST(!delete_own_user(*Vouching{add_user().id}, sign_in.id));
    BOOST_TEST(rows_in("providers", user.owner) == 1);
    BOOST_TEST(delete_own_user(vouching.lease, sign_in.id));
    BOOST_TEST(rows_in("providers", user.owner) == 0);
}

namespace {
/// A user with a session of an hour's idle time and a day at most.
struct SignedIn {
    SignedIn() { start_session(lease, proven(user.id), session); }
    std::optional<Caller> signs_in() {
        return sign_auth_request_in(lease, session.keys.auth_token_hash);
    }
    std::optional<SignIn> shows(Deed deed) {
        const std::string& email = user.email.normalized;
        return check_password(lease, email, {"some hash"}, "", deed, "").verified;
    }
    void let_pass(const std::string& interval) const {
        as_superuser(R"sql(
            UPDATE usershell.sessions
            SET created_at = created_at - $1::interval, signed_in_at = signed_in_at - $1::interval,
                last_seen_at = last_seen_at - $1::interval, max_expires_at = max_expires_at - $1::interval,
                expires_at = expires_at - $1::interval
            WHERE id = $2)sql",
                     interval, session.id.text());
    }
    bool is(const std::string& condition) const {
        return any("SELECT FROM usershell.sessions WHERE id = $1 AND " + condition,
                   session.id.text());
    }
    TestUser user = add_user();
    Vouching vouching;
    Lease& lease = vouching.lease;
    NewSession session = some_session(1h, 24h);
};

BOOST_FIXTURE_TEST_CASE(a_good_token_finds_its_caller, SignedIn) {
    const auto caller = signs_in();
    BOOST_REQUIRE(caller);
    BOOST_TEST((caller->user == user.id && caller->session == session.id));
    BOOST_TEST(caller->email == user.email.shown);
    BOOST_TEST(caller->display_name == "Somebody");
    BOOST_TEST((caller->antiforgery_key == session.keys.auth_antiforgery_key));
    BOOST_TEST((caller->frame_key == session.keys.antiforgery_key && !caller->cookie_lifetime));
    for (const std::string& other : {crypto::random_bytes(32), std::string{}, std::string(32, '\0'),
                                     session.keys.calls_token_hash, session.keys.token_hash})
        BOOST_TEST(!sign_auth_request_in(lease, other));
    Managing managing;
    const auto managed = sign_request_in(managing.lease, session.keys.token_hash);
    BOOST_REQUIRE(managed);
    BOOST_TEST((managed->session == session.id));
    BOOST_TEST(managed->display_name == "Somebody");
    BOOST_TEST((managed->antiforgery_key == session.keys.antiforgery_key));
    BOOST_TEST(!sign_request_in(managing.lease, session.keys.auth_token_hash));
}

BOOST_FIXTURE_TEST_CASE(a_remembered_one_says_how_long_its_cookies_last, SignedIn) {
    session = some_session(1h, 24h);
    session.remembered = true;
    start_session(lease, proven(user.id), session);
    let_pass("30 minutes");
    const auto lifetime = signs_in()->cookie_lifetime;
    BOOST_TEST((lifetime > 23h && lifetime <= 23h + 30min));
}

BOOST_FIXTURE_TEST_CASE(the_token_for_calls_is_good_at_the_other_pool_alone, SignedIn) {
    Acting executing{test_database().as_execute()};
    Opening opening;
    const auto sign_call_in = [&](Lease& calling, const std::string& token) {
        auto start = begin_call(*opening, token, std::nullopt, TakesTurn::no);
        if (start && start->call) end_calls(calling, {{*start->call}});
        return start ? std::optional{std::move(start->caller)} : std::nullopt;
    };
    const auto caller = sign_call_in(executing.lease, session.keys.calls_token_hash);
    BOOST_REQUIRE(caller);
    BOOST_TEST((caller->user == user.id && caller->session == session.id));
    BOOST_TEST((caller->antiforgery_key == session.keys.antiforgery_key));
    BOOST_TEST((caller->calls_token_hash == session.keys.calls_token_hash));
    BOOST_TEST(!sign_call_in(executing.lease, session.keys.token_hash));
    const std::string stored =
        bytes_of(as_superuser("SELECT calls_token_hash FROM usershell.sessions WHERE owner_id = $1",
                              user.id.text())[0][0]
                     .as<std::string>());
    BOOST_TEST((stored != session.keys.calls_token_hash));
    BOOST_TEST(!sign_call_in(executing.lease, stored));
    let_pass("59 minutes");
    sign_call_in(executing.lease, session.keys.calls_token_hash); // keeps the session alive, too
    let_pass("59 minutes");
    BOOST_TEST(signs_in().has_value());
    let_pass("61 minutes");
    BOOST_TEST(!sign_call_in(executing.lease, session.keys.calls_token_hash));
}

BOOST_FIXTURE_TEST_CASE(it_expires_when_it_is_not_used, SignedIn) {
    let_pass("59 minutes");
    BOOST_TEST(signs_in().has_value()); // and is good for another hour
    let_pass("59 minutes");
    BOOST_TEST(is("signed_in_at <= now() - interval '118 minutes'"));
    let_pass("61 minutes");
    BOOST_TEST(!signs_in());
}

BOOST_FIXTURE_TEST_CASE(it_expires_at_last_however_much_it_is_used, SignedIn) {
    for (int round = 0; round < 47; ++round) {
        let_pass("30 minutes");
        BOOST_REQUIRE_MESSAGE(signs_in(), round << " half hours in");
    }
    let_pass("31 minutes"); // 24 hours and a minute in all, and idle for less than an hour
    BOOST_TEST(!signs_in());
}

BOOST_FIXTURE_TEST_CASE(use_is_recorded_at_most_once_a_minute, SignedIn) {
    signs_in();
    BOOST_TEST(is("last_seen_at = created_at"));
    let_pass("2 minutes");
    signs_in();
    BOOST_TEST(is("last_seen_at > created_at + interval '2 minutes'"));
    BOOST_TEST(is("expires_at = least(max_expires_at, last_seen_at + idle)"));
}

BOOST_FIXTURE_TEST_CASE(a_disabled_user_is_out_at_once, SignedIn) {
    as_superuser("UPDATE usershell.users SET is_disabled = true WHERE id = $1", user.id.text());
    BOOST_TEST(!signs_in());
    BOOST_CHECK_EXCEPTION(start_session(lease, proven(user.id), some_session()), Refusal,
                          refused_as(ErrorCode::not_signed_in));
}

BOOST_FIXTURE_TEST_CASE(ending_one_or_all_touches_no_others, SignedIn) {
    const std::vector others{some_session(), some_session(), some_session()};
    for (const NewSession& other : others) start_session(lease, proven(user.id), other);
    SignedIn neighbour;
    BOOST_TEST(!end_session(neighbour.lease, session.id));
    end_session(lease, session.id);
    BOOST_TEST(!signs_in());
    const auto good = [&](const NewSession& other) {
        return sign_auth_request_in(lease, other.keys.auth_token_hash).has_value();
    };
    BOOST_TEST(std::ranges::all_of(others, good));
    BOOST_TEST(sign_out_everywhere(lease) == 3);
    BOOST_TEST(std::ranges::none_of(others, good));
    BOOST_TEST(neighbour.signs_in().has_value());
}

BOOST_FIXTURE_TEST_CASE(the_good_ones_are_shown_to_their_user, SignedIn) {
    NewSession other = some_session();
    other.browser = "Firefox on Linux";
    other.client_address = "192.0.2.1";
    let_pass("30 minutes");
    start_session(lease, proven(user.id), other);
    const auto open = open_sessions(lease);
    BOOST_REQUIRE(open.size() == 2U);
    BOOST_TEST((open[0].id == other.id));
    BOOST_TEST(open[0].browser + open[0].client_address == "Firefox on Linux192.0.2.1");
    BOOST_TEST((open[0].last_seen_at - open[1].since >= 30min));
    let_pass("2 hours");
    BOOST_TEST(open_sessions(lease).size() == 1U);
    BOOST_TEST(!end_session(lease, crypto::random_id<SessionId>()));
    BOOST_TEST(end_session(lease, other.id));
    BOOST_TEST(open_sessions(lease).empty());
}
BOOST_FIXTURE_TEST_CASE(others_end_soon_after_the_password_and_its_own_at_any_time, SignedIn) {
    const NewSession other = some_session();
    Vouching another;
    start_session(another.lease, proven(user.id), other);
    as_superuser("UPDATE usershell.sessions SET signed_in_at = now() - interval '6 minutes' "
                 "WHERE owner_id = $1",
                 user.id.text());
    const auto late = refused_as(ErrorCode::password_needed);
    BOOST_CHECK_EXCEPTION(end_session(lease, other.id), Refusal, late);
    BOOST_CHECK_EXCEPTION(sign_out_everywhere(lease), Refusal, late);
    BOOST_TEST(rows_in("sessions", user.id) == 2U);
    BOOST_TEST(end_session(lease, session.id));
}

BOOST_FIXTURE_TEST_CASE(a_session_that_goes_on_after_a_proof_has_new_tokens, SignedIn) {
    let_pass("30 minutes");
    const SessionKeys old = session.keys;
    session.keys = some_keys();
    const SignIn sign_in = shows(Deed::token).value();
    BOOST_TEST(renew_sign_in(lease, sign_in, session.keys));
    BOOST_TEST(renew_sign_in(lease, sign_in, session.keys)); // the answer to the first was lost
    BOOST_TEST(!renew_sign_in(lease, sign_in, some_keys()));
    BOOST_TEST(!sign_auth_request_in(lease, old.auth_token_hash));
    Managing managing;
    BOOST_TEST(!sign_request_in(managing.lease, old.token_hash));
    BOOST_TEST(sign_request_in(managing.lease, session.keys.token_hash).has_value());
    const auto caller = signs_in();
    BOOST_REQUIRE(caller);
    BOOST_TEST((caller->session == session.id));
    BOOST_TEST(is("signed_in_at > now() - interval '1 minute'"));
    Vouching late;
    late.lease.present(old.auth_token_hash);
    BOOST_TEST(!renew_sign_in(late.lease, proven(user.id, "token"), some_keys()));
    BOOST_TEST(signs_in().has_value());
    BOOST_TEST((caller->antiforgery_key == old.auth_antiforgery_key));
    BOOST_TEST((caller->frame_key == old.antiforgery_key));
}

BOOST_FIXTURE_TEST_CASE(the_sweep_takes_what_has_expired_and_no_more_than_it_may, SignedIn) {
    Vouching sweeper;
    wait_until([&] { return sweep_sessions(sweeper.lease, 1000) == 0; });
    for (int i = 0; i < 5; ++i) SignedIn{}.let_pass("2 hours");
    BOOST_TEST(sweep_sessions(sweeper.lease, 3) == 3);
    BOOST_TEST(sweep_sessions(sweeper.lease, 3) == 2);
    BOOST_TEST(sweep_sessions(sweeper.lease, 3) == 0);
    BOOST_TEST(signs_in().has_value());
}

const std::string cost = "$argon2id$v=19$m=65536,t=2,p=1";
const std::string salt_and_cost = "$argon2id$v=19$m=8,t=1,p=1$YWFhYWFhYWFhYWFhYWFhYQ";
struct Person {
    Person() { has(salt_and_cost + "$right"); }
    void has(const std::string& hash) const {
        as_superuser(
            "UPDATE usershell.users SET password_hash = usershell.stored_hash($2) WHERE id = $1",
            user.id.text(), hash);
    }
    PasswordSalt found() { return of(email); }
    PasswordSalt of(const std::string& address) {
        return find_password(vouching.lease, address, cost);
    }
    std::vector<std::string> made_up_costs() {
        std::vector<std::string> costs;
        for (int i = 0; i < 1000; ++i) {
            const auto made_up = of("nobody" + std::to_string(i) + "@example.org").salt_and_cost;
            costs.push_back(made_up.substr(0, made_up.rfind('$')));
        }
        return costs;
    }
    PasswordVerdict tries(const std::string& hash, const std::string& fresh = {}) {
        return check_password(vouching.lease, email, {salt_and_cost + "$" + hash}, "", fresh);
    }
    std::string hash() const {
        return value<std::string>("SELECT password_hash FROM usershell.users WHERE id = $1",
                                  user.id.text());
    }
    bool is_stored(const std::string& given) const {
        return hash() == value<std::string>("SELECT usershell.stored_hash($1)", given);
    }
    TestUser user = add_user();
    std::string email = user.email.normalized;
    Vouching vouching;
};
void nobody_has_a_password() { as_superuser("UPDATE usershell.users SET password_hash = ''"); }

BOOST_FIXTURE_TEST_CASE(salt_and_cost_come_out_and_never_the_hash, Person) {
    BOOST_TEST((found().who.user == user.id));
    BOOST_TEST((found().who.stamp == stamped(user.id).stamp));
    BOOST_TEST(found().salt_and_cost == salt_and_cost);
    nobody_has_a_password();
    for (const std::string odd : {"plain", "$5$rounds$hash", "$argon2id$hash"}) {
        has(odd);
        BOOST_TEST(found().salt_and_cost.starts_with(cost + "$"), odd);
    }
}

BOOST_FIXTURE_TEST_CASE(nobody_looks_like_somebody, Person) {
    nobody_has_a_password();
    has("");
    const std::string first = of("nobody@example.org").salt_and_cost;
    BOOST_TEST(first.size() == cost.size() + 1 + 22); // 16 bytes in base64
    BOOST_TEST(first.starts_with(cost + "$"));
    BOOST_TEST(of("nobody@example.org").salt_and_cost == first);
    BOOST_TEST(of("nobody.else@example.org").salt_and_cost != first);
    for (const std::string& address : {std::string{"nobody@example.org"}, std::string{}}) {
        BOOST_TEST(of(address).who.user.text() == "00000000-0000-0000-0000-000000000000");
        BOOST_TEST(!check_password(vouching.lease, address, {""}, "").verified);
    }
    BOOST_TEST(found().salt_and_cost.starts_with(cost + "$"));
    BOOST_TEST(!check_password(vouching.lease, email, {""}, "").verified);
    has(salt_and_cost + "$right");
    as_superuser("UPDATE usershell.users SET is_disabled = true WHERE id = $1", user.id.text());
    BOOST_TEST((found().who.user == global_owner()));
    BOOST_TEST(found().salt_and_cost == salt_and_cost); // or an observer sees another cost
}

// The operator has changed the usual cost since: it is none of these.
BOOST_FIXTURE_TEST_CASE(an_address_that_is_nobodys_has_the_cost_of_a_user, Person) {
    nobody_has_a_password();
    const std::string old_cost = "$argon2id$v=19$m=8,t=1,p=1";
    const std::string new_cost = "$argon2id$v=19$m=16,t=1,p=1";
    std::vector<Person> others(3);
    const auto old_ones = made_up_costs();
    BOOST_TEST(std::ranges::count(old_ones, old_cost) == 1000);
    has(new_cost + "$YWFhYWFhYWFhYWFhYWFhYQ$right");
    const auto mixed = made_up_costs();
    BOOST_TEST(mixed == made_up_costs(), boost::test_tools::per_element());
    const auto changed = std::ranges::count(mixed, new_cost);
    BOOST_TEST(changed + std::ranges::count(mixed, old_cost) == 1000);
    BOOST_TEST((changed > 125 && changed < 400), changed); // of four users one: 250
    // Another user's new cost changes no address that draws another user.
    others.front().has(new_cost + "$YWFhYWFhYWFhYWFhYWFhYQ$right");
    const auto later = made_up_costs();
    for (std::size_t i = 0; i < mixed.size(); ++i)
        BOOST_TEST((mixed[i] == old_cost || later[i] == new_cost));
    as_superuser("UPDATE usershell.users SET is_disabled = true WHERE id = $1", user.id.text());
    BOOST_TEST(made_up_costs() == later, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(the_right_hash_and_no_other, Person) {
    const auto verdict = tries("right");
    BOOST_REQUIRE(verdict.verified);
    BOOST_TEST((verdict.verified->who.user == user.id));
    BOOST_TEST((verdict.verified->who.stamp == stamped(user.id).stamp));
    for (const std::string wrong : {"wrong", "", "righ", "right "}) {
        BOOST_TEST(!tries(wrong).verified, wrong);
        BOOST_TEST(!tries(wrong, "of a thief").verified, wrong);
    }
    BOOST_TEST(is_stored(salt_and_cost + "$right"));
    BOOST_TEST(hash().starts_with(salt_and_cost + "$"));
    BOOST_TEST(!check_password(vouching.lease, email, {hash()}, "").verified, "as in a backup");
    as_superuser("UPDATE usershell.users SET is_disabled = true WHERE id = $1", user.id.text());
    BOOST_TEST(!tries("right").verified);
}

BOOST_FIXTURE_TEST_CASE(the_same_password_hashed_anew_is_no_security_event, Person) {
    const std::string before = stamped(user.id).stamp;
    BOOST_TEST(tries("right", "fresh").verified.has_value());
    BOOST_TEST(is_stored("fresh"));
    BOOST_TEST((stamped(user.id).stamp == before));
}

BOOST_FIXTURE_TEST_CASE(wrong_ones_are_throttled_whatever_the_program_does, Person) {
    const auto of_an_hour = [](const PasswordVerdict& verdict) {
        return verdict.wait && *verdict.wait > 50min && *verdict.wait <= 1h;
    };
    for (int i = 0; i < 240; ++i) BOOST_TEST(!tries("wrong").wait);
    BOOST_TEST(of_an_hour(tries("wrong")));
    BOOST_TEST(of_an_hour(tries("right")));
    BOOST_TEST(!tries("right").verified);
    as_superuser("UPDATE usershell.wrong_guesses SET expires_at = now() WHERE failures >= 240");
    for (int i = 0; i < 300; ++i) BOOST_TEST(tries("right").verified.has_value());
    email = "nobody-" + email;
    for (int i = 0; i < 240; ++i) BOOST_TEST(!tries("wrong").wait);
    BOOST_TEST(tries("wrong").wait.has_value());
}
BOOST_FIXTURE_TEST_CASE(who_knows_their_subject_lifts_no_throttle, Person) {
    for (int i = 0; i < 240; ++i) BOOST_TEST(!tries("wrong").wait);
    for (const auto& row : as_superuser("SELECT subject FROM usershell.wrong_guesses"))
        for (const char* function : {"clear_attempts", "forgive_attempt"}) {
            pqxx::connection connection{test_database().as_auth()};
            pqxx::nontransaction{connection}.exec("SELECT usershell." + std::string{function} +
                                                  "('" + row[0].c_str() + "')");
        }
    BOOST_TEST(tries("right").wait.has_value());
}
BOOST_FIXTURE_TEST_CASE(no_error_shows_the_subject_of_a_guess, Person) {
    pqxx::connection connection{test_database().as_auth()};
    for (const std::string& given : {connection.quote(email) + ", NULL", std::string{"NULL, ''"}})
        BOOST_CHECK_EXCEPTION(
            pqxx::nontransaction{connection}.exec("SELECT usershell.take_guess(" + given + ")"),
            pqxx::sql_error, [](const pqxx::sql_error& error) {
                return std::string_view{error.what()}.find("\\x") == std::string_view::npos;
            });
}
BOOST_FIXTURE_TEST_CASE(each_form_of_a_password_is_a_try, Person) {
    has(salt_and_cost + "$as typed");
    const std::vector<std::string> forms{salt_and_cost + "$prepared", salt_and_cost + "$as typed"};
    const auto count = [] {
        return value<int>("SELECT coalesce(sum(failures), 0) FROM usershell.wrong_guesses");
    };
    const int before = count();
    const auto verdict = check_password(vouching.lease, email, forms, "");
    BOOST_TEST(verdict.verified.has_value());
    BOOST_TEST(verdict.hash == forms.back());
    BOOST_TEST(count() == before);
    BOOST_TEST(!check_password(vouching.lease, email, {forms.front(), ""}, "").verified);
    BOOST_TEST(count() == before + 2);
    // A hash of which no guess was counted spoils those of which one was.
    for (const std::string hashes : {"ARRAY[$2, 'uncounted']", "ARRAY['uncounted', $2]"})
        BOOST_TEST(as_superuser("SELECT user_id FROM usershell.check_password($1, " + hashes +
                                    ", '', '', 'session', 'x')",
                                email, forms.back())[0][0]
                       .is_null());
}
/// Of that hash; the guess is taken in a transaction of its own or in the same.
std::string verdict_of(pqxx::connection& connection, const std::string& email,
                       const std::string& hash, bool taken_before) {
    const std::string given = connection.quote(email) + ", " + connection.quote(hash);
    const std::string take = "SELECT usershell.take_guess(" + given + ")";
    if (taken_before) {
        pqxx::work first{connection};
        first.exec(take);
        first.commit();
    }
    pqxx::work second{connection};
    if (!taken_before) {
        pqxx::subtransaction inner{second};
        inner.exec(take);
        inner.commit();
    }
    const auto rows =
        second.exec("SELECT user_id FROM usershell.check_password(" + connection.quote(email) +
                    ", ARRAY[" + connection.quote(hash) + "], '', '', 'session', 'x')");
    return rows[0][0].c_str(); // and all is rolled back
}

BOOST_FIXTURE_TEST_CASE(no_guess_is_looked_at_that_a_rollback_would_uncount, Person) {
    pqxx::connection connection{test_database().as_auth()};
    const std::string right = salt_and_cost + "$right";
    BOOST_TEST(verdict_of(connection, email, right, false) == "");
    BOOST_TEST(verdict_of(connection, email, right, true) == user.id.text());
}

struct WithApp {
    WithApp() { add_factor(vouching.lease, proven(user.id, "factor"), app, some_hashes(), false); }
    std::size_t codes() const { return rows_in("recovery_codes", user.id); }
    TestUser user = add_user();
    Vouching vouching{user.id};
    Operating operating;
    NewApp app = some_app();
};

BOOST_FIXTURE_TEST_CASE(the_operator_sees_factors_and_resets_them, WithApp) {
    const WithApp neighbour;
    const int before = read_policy(operating.lease).without_factor;
    const auto shown = factors_of(operating.lease, user.id);
    BOOST_TEST((shown.size() == 2 && shown[0].made_at.has_value() && shown[1].left == 2));
    BOOST_TEST(reset_factors(operating.lease, user.id));
    BOOST_TEST(factors_of(operating.lease, user.id).empty());
    BOOST_TEST(codes() == 0U);
    BOOST_TEST(any("SELECT FROM usershell.events WHERE owner_id = $1 AND kind = 'factors_reset' "
                   "AND announced_at IS NULL",
                   user.id.text()));
    BOOST_TEST(!reset_factors(operating.lease, user.id));
    BOOST_TEST(factors_of(operating.lease, neighbour.user.id).size() == 2U);
    BOOST_TEST(read_policy(operating.lease).without_factor == before + 1);
    set_disabled(operating.lease, user.id, true);
    BOOST_TEST(read_policy(operating.lease).without_factor == before);
}

BOOST_FIXTURE_TEST_CASE(after_a_restore_apps_stay_and_recovery_codes_do_not, WithApp) {
    end_everything(operating.lease);
    BOOST_TEST(codes() == 0U);
    BOOST_TEST(factors_of(operating.lease, user.id).size() == 2U);
    BOOST_TEST(any("SELECT FROM usershell.events WHERE owner_id = $1 AND kind = 'factors_restored' "
                   "AND announced_at IS NULL",
                   user.id.text()));
}

BOOST_FIXTURE_TEST_CASE(the_secret_of_an_app_is_the_same_under_another_key, WithApp) {
    Lease& lease = operating.lease;
    const auto key = crypto::RingKeyId::from_bytes(crypto::random_bytes(16));
    register_key(lease, crypto::RingRole::auth, key);
    const std::string mask = crypto::random_bytes(20);
    swap_app_mask(lease, {user.id, crypto::random_bytes(16)}, key, app.mask, mask);
    BOOST_TEST(!next_app(lease, key, global_owner()), "it was of an app before this one");
    for (int attempt = 0; attempt < 2; ++attempt) // the answer to the first was lost
        swap_app_mask(lease, {user.id, app.source.salt}, key, app.mask, mask);
    const auto found = next_app(lease, key, global_owner()).value();
    BOOST_TEST((found.owner == user.id && found.salt == app.source.salt));
    BOOST_TEST(!next_app(lease, key, user.id));
    const RingUses uses = ring_uses(lease)[key.text()];
    BOOST_TEST((uses.apps == 1 && uses.any()));
    const auto secret = value<std::string>(
        "SELECT usershell.masked_with(masked, $2) FROM usershell.apps WHERE owner_id = $1",
        user.id.text(), "\\x" + hex(mask));
    BOOST_TEST((bytes_of(secret) == app.secret));
}
} // namespace
} // namespace usershell::store
