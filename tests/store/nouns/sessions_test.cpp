// Sessions over time. tests/cases/sign_in.case has them from outside.
#include "store/store_fixture.hpp"
namespace usershell::store {
namespace {
/// A user with a session of an hour's idle time and a day at most.
struct SignedIn {
    SignedIn() { start_session(lease, stamped(user.id), session); }
    std::optional<Caller> signs_in() {
        return sign_auth_request_in(lease, session.keys.auth_token_hash);
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
    start_session(lease, stamped(user.id), session);
    let_pass("30 minutes");
    const auto lifetime = signs_in()->cookie_lifetime;
    BOOST_TEST((lifetime > 23h && lifetime <= 23h + 30min));
}

BOOST_FIXTURE_TEST_CASE(the_token_for_calls_is_good_at_the_other_pool_alone, SignedIn) {
    Acting executing{test_database().as_execute()};
    const auto sign_call_in = [&](Lease& calling, const std::string& token) {
        auto start = begin_call(calling, token, std::nullopt, TakesTurn::no);
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
                              user.id.text())[0][0]);
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
    BOOST_CHECK_EXCEPTION(start_session(lease, stamped(user.id), some_session()), Refusal,
                          refused_as(ErrorCode::not_signed_in));
}

BOOST_FIXTURE_TEST_CASE(ending_one_or_all_touches_no_others, SignedIn) {
    const std::vector others{some_session(), some_session(), some_session()};
    for (const NewSession& other : others) start_session(lease, stamped(user.id), other);
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
    start_session(lease, stamped(user.id), other);
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

BOOST_FIXTURE_TEST_CASE(a_session_that_goes_on_after_a_proof_has_new_tokens, SignedIn) {
    let_pass("30 minutes");
    const SessionKeys old = session.keys;
    session.keys = some_keys();
    BOOST_TEST(renew_sign_in(lease, session.keys));
    BOOST_TEST(renew_sign_in(lease, session.keys)); // the answer to the first was lost
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
    BOOST_TEST(!renew_sign_in(late.lease, some_keys()));
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
} // namespace
} // namespace usershell::store
