// Each table has a cap, and something that keeps it. A new table needs a word here.
#include "store/store_fixture.hpp"
namespace usershell::store {
namespace {
const std::pair<const char*, std::vector<std::string>> caps[] = {
    {"one a user: the primary key", {"avatars", "email_changes", "provider_lists"}},
    {"two a user: the primary key", {"password_resets"}},
    {"max_calls a user: the primary key", {"calls"}},
    {"one a provider: the primary key", {"rotations"}},
    {"max_headers a provider: the trigger bound_rows", {"provider_headers"}},
    {"one a token: the primary key", {"token_minutes", "token_uses"}},
    {"max_access_tokens good ones a user: make_token(), under the user's lock", {"access_tokens"}},
    {"a row a day, token and model: end_calls(); kept for max_usage_days", {"usage"}},
    {"max_… of its parent: the statement that adds one, under the user's lock",
     {"accounts", "models", "providers"}},
    {"max_email_attempts_an_hour a user: the statement that adds one", {"email_attempts"}},
    {"50 of a kind a user: note_event()", {"events"}},
    {"1,000 a user: guard_names()", {"freed_handles"}},
    {"240 an hour for an account: take_guess()", {"guesses"}},
    {"one for each subject tried, forgotten in an hour: nginx limits a client", {"attempts"}},
    {"max_mails of a kind a user: the trigger drop_oldest_mails", {"outbox"}},
    {"max_sessions a user: the trigger end_oldest_sessions", {"sessions"}},
    {"200 a program, forgotten in a day: report_ring()", {"machine_rings"}},
    {"no one: made by a migration", {"hidden_key", "installation", "rights"}},
    {"no one: the operator alone adds rows", {"legacy_vault", "migrations", "ring_keys", "users"}},
};

BOOST_AUTO_TEST_CASE(every_table_has_one) {
    std::multiset<std::string> found, named;
    for (const auto& row :
         as_superuser("SELECT tablename FROM pg_tables WHERE schemaname = 'usershell'"))
        found.insert(row[0].as<std::string>());
    for (const auto& [cap, tables] : caps) named.insert(tables.begin(), tables.end());
    BOOST_TEST(found == named, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_session_too_many_ends_the_oldest) {
    const TestUser user = add_user();
    Vouching vouching;
    const auto oldest = some_session();
    start_session(vouching.lease, stamped(user.id), oldest);
    for (int more = 1; more < rules::max_sessions; ++more)
        start_session(vouching.lease, stamped(user.id), some_session());
    BOOST_TEST(sign_auth_request_in(vouching.lease, oldest.keys.auth_token_hash).has_value());
    const auto newest = some_session();
    start_session(vouching.lease, stamped(user.id), newest);
    BOOST_TEST(!sign_auth_request_in(vouching.lease, oldest.keys.auth_token_hash));
    BOOST_TEST(sign_auth_request_in(vouching.lease, newest.keys.auth_token_hash).has_value());
    // A lost answer is asked for again: the row that is there ends no other.
    start_session(vouching.lease, stamped(user.id), newest);
    BOOST_TEST(rows_in("sessions", user.id) == std::size_t{rules::max_sessions});
}

BOOST_AUTO_TEST_CASE(a_mail_too_many_drops_the_oldest) {
    const TestUser user = add_user();
    const auto rows = [&](const std::string& kind) {
        return value<int>("SELECT count(*) FROM usershell.outbox WHERE owner_id = $1 AND kind = $2",
                          user.id.text(), kind);
    };
    as_superuser("INSERT INTO usershell.outbox (owner_id, id, kind, sealed, queued_at) VALUES "
                 "($1, gen_random_uuid(), 'invitation', '', now() - interval '1 hour')",
                 user.id.text());
    for (int mail = 0; mail < rules::max_mails + 5; ++mail)
        as_superuser(
            "INSERT INTO usershell.outbox (owner_id, id, kind, sealed, state, queued_at) VALUES "
            "($1, gen_random_uuid(), 'x', '', 'failed', to_timestamp($2))",
            user.id.text(), mail);
    BOOST_TEST(rows("x") == rules::max_mails);
    BOOST_TEST(rows("invitation") == 1, "which no mail of another kind pushes out");
    BOOST_TEST(value<int>("SELECT extract(epoch FROM min(queued_at))::int FROM usershell.outbox "
                          "WHERE owner_id = $1 AND kind = 'x'",
                          user.id.text()) == 5);
}
} // namespace
} // namespace usershell::store
