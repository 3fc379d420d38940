#include "store/store_fixture.hpp"

namespace usershell::store {

using namespace std::chrono_literals;

namespace {

/// A person with a session, and the lease that started it.
struct SignedIn {
    SignedIn() { start_session(lease, user.id, session); }

    std::optional<Caller> signs_in() { return sign_request_in(lease, session.token_hash); }
    /// Moves the session's times into the past.
    void let_pass(const std::string& interval) {
        as_superuser("UPDATE usershell.sessions SET created_at = created_at - interval '" +
                     interval + "', signed_in_at = signed_in_at - interval '" + interval +
                     "', last_seen_at = last_seen_at - interval '" + interval +
                     "', ends_at = ends_at - interval '" + interval +
                     "', expires_at = expires_at - interval '" + interval + "' WHERE id = '" +
                     session.id.text() + "'");
    }

    Resident user = add_user();
    Managing managing{std::nullopt};
    Lease& lease = managing.lease;
    NewSession session{crypto::random_id<SessionId>(),
                       crypto::random_bytes(32),
                       crypto::random_bytes(32),
                       false,
                       3600s,
                       86400s};
};

std::string stored(const std::string& column, const SessionId& session) {
    const auto rows = as_superuser("SELECT " + column + " FROM usershell.sessions WHERE id = '" +
                                   session.text() + "'");
    return rows.empty() ? "gone" : rows[0][0].as<std::string>();
}

} // namespace

BOOST_AUTO_TEST_SUITE(sessions)

BOOST_FIXTURE_TEST_CASE(a_good_token_finds_its_caller, SignedIn) {
    const auto caller = signs_in();
    BOOST_REQUIRE(caller);
    BOOST_TEST(caller->user.text() == user.id.text());
    BOOST_TEST(caller->session.text() == session.id.text());
    BOOST_TEST(caller->email == user.email.shown);
    BOOST_TEST(caller->display_name == "Somebody");
    BOOST_TEST(caller->antiforgery_key == session.antiforgery_key);
    BOOST_TEST(!caller->remembered);
    BOOST_TEST((caller->since_sign_in >= 0s && caller->since_sign_in < 3600s));
}

BOOST_FIXTURE_TEST_CASE(another_token_finds_nobody, SignedIn) {
    BOOST_TEST(!sign_request_in(lease, crypto::random_bytes(32)));
    BOOST_TEST(!sign_request_in(lease, ""));
    BOOST_TEST(!sign_request_in(lease, std::string(32, '\0')));
}

BOOST_FIXTURE_TEST_CASE(the_execution_wing_signs_in_as_well, SignedIn) {
    Executing executing{std::nullopt};
    BOOST_TEST(sign_request_in(executing.lease, session.token_hash)->user.text() == user.id.text());
}

BOOST_FIXTURE_TEST_CASE(a_session_lapses_when_it_is_not_used, SignedIn) {
    let_pass("59 minutes");
    BOOST_TEST(signs_in().has_value()); // and is good for another hour
    let_pass("59 minutes");
    BOOST_TEST(signs_in().has_value());
    let_pass("61 minutes");
    BOOST_TEST(!signs_in());
}

BOOST_FIXTURE_TEST_CASE(a_session_ends_however_much_it_is_used, SignedIn) {
    for (int hours = 0; hours < 24; ++hours) {
        BOOST_REQUIRE_MESSAGE(signs_in(), hours << " hours in");
        let_pass("59 minutes 59 seconds");
    }
    let_pass("1 minute");
    BOOST_TEST(!signs_in());
}

BOOST_FIXTURE_TEST_CASE(the_time_since_the_password_was_given_is_told, SignedIn) {
    let_pass("30 minutes");
    BOOST_TEST((signs_in()->since_sign_in >= 1800s));
}

BOOST_FIXTURE_TEST_CASE(use_is_recorded_at_most_once_a_minute, SignedIn) {
    const std::string before = stored("last_seen_at", session.id);
    signs_in();
    BOOST_TEST(stored("last_seen_at", session.id) == before);
    let_pass("2 minutes");
    const std::string passed = stored("last_seen_at", session.id);
    signs_in();
    BOOST_TEST(stored("last_seen_at", session.id) > passed);
    BOOST_TEST(stored("expires_at = least(ends_at, last_seen_at + idle)", session.id) == "t");
}

BOOST_FIXTURE_TEST_CASE(a_disabled_person_is_out_at_once, SignedIn) {
    as_superuser("UPDATE usershell.users SET is_disabled = true WHERE id = '" + user.id.text() +
                 "'");
    BOOST_TEST(!signs_in());
    NewSession another = session;
    another.id = crypto::random_id<SessionId>();
    BOOST_CHECK_EXCEPTION(start_session(lease, user.id, another), Refusal,
                          refused_as(ErrorCode::not_signed_in));
    BOOST_TEST(list_providers(lease, user.id) == R"({"providers":[]})");
}

BOOST_FIXTURE_TEST_CASE(an_ended_session_is_no_more, SignedIn) {
    BOOST_TEST(end_session(lease, user.id, session.id));
    BOOST_TEST(!signs_in());
    lease.act_as(user.id);
    BOOST_TEST(!end_session(lease, user.id, session.id));
}

BOOST_FIXTURE_TEST_CASE(ending_the_others_keeps_one, SignedIn) {
    std::vector<NewSession> others(3, session);
    for (NewSession& other : others) {
        other.id = crypto::random_id<SessionId>();
        other.token_hash = crypto::random_bytes(32);
        start_session(lease, user.id, other);
    }
    SignedIn neighbour;
    BOOST_TEST(end_other_sessions(lease, user.id, session.id) == 3);
    BOOST_TEST(signs_in().has_value());
    for (const NewSession& other : others) BOOST_TEST(!sign_request_in(lease, other.token_hash));
    BOOST_TEST(neighbour.signs_in().has_value());
    lease.act_as(user.id);
    BOOST_TEST(end_other_sessions(lease, user.id, std::nullopt) == 1);
    BOOST_TEST(!signs_in());
}

BOOST_FIXTURE_TEST_CASE(a_reissued_session_has_another_token, SignedIn) {
    const std::string token_hash = crypto::random_bytes(32);
    const std::string key = crypto::random_bytes(32);
    reissue_session(lease, user.id, session.id, token_hash, key);
    BOOST_TEST(!signs_in());
    const auto caller = sign_request_in(lease, token_hash);
    BOOST_TEST(caller->session.text() == session.id.text());
    BOOST_TEST(caller->antiforgery_key == key);
}

BOOST_FIXTURE_TEST_CASE(another_person_ends_no_session_of_mine, SignedIn) {
    SignedIn stranger;
    BOOST_TEST(!end_session(stranger.lease, stranger.user.id, session.id));
    BOOST_TEST(!end_session(stranger.lease, user.id, session.id));
    BOOST_TEST(end_other_sessions(stranger.lease, user.id, std::nullopt) == 0);
    reissue_session(stranger.lease, user.id, session.id, crypto::random_bytes(32),
                    crypto::random_bytes(32));
    BOOST_TEST(signs_in().has_value());
}

BOOST_FIXTURE_TEST_CASE(the_sweep_takes_what_has_lapsed_and_no_more_than_it_may, SignedIn) {
    Managing sweeper{std::nullopt};
    while (sweep_sessions(sweeper.lease, 1000) > 0) {
    }
    std::vector<std::unique_ptr<SignedIn>> lapsed;
    for (int i = 0; i < 5; ++i) {
        lapsed.push_back(std::make_unique<SignedIn>());
        lapsed.back()->let_pass("2 hours");
    }
    BOOST_TEST(sweep_sessions(sweeper.lease, 3) == 3);
    BOOST_TEST(sweep_sessions(sweeper.lease, 3) == 2);
    BOOST_TEST(sweep_sessions(sweeper.lease, 3) == 0);
    BOOST_TEST(signs_in().has_value());
}

BOOST_FIXTURE_TEST_CASE(neither_token_nor_its_hash_can_be_read_by_a_worker, SignedIn) {
    for (const std::string& role : {test_database().as_manage(), test_database().as_execute()}) {
        pqxx::connection connection{role};
        pqxx::nontransaction statement{connection};
        BOOST_CHECK_THROW(statement.exec("SELECT token_hash FROM usershell.sessions"),
                          pqxx::insufficient_privilege);
        BOOST_CHECK_THROW(statement.exec("SELECT antiforgery_key FROM usershell.sessions"),
                          pqxx::insufficient_privilege);
    }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace usershell::store
