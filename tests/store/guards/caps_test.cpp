// Each table that a person or a stranger can fill has a cap: how many rows there
// are at most and who sees to it. A new table needs a row here.
#include "base/rules.hpp"
#include "store/store_fixture.hpp"

namespace usershell::store {
namespace {
const std::map<std::string, std::string> caps{
    {"accounts", "max_accounts a provider: the statement that adds one, under the user's lock"},
    {"attempts", "one for each subject tried, forgotten in an hour: nginx limits a client's tries"},
    {"avatars", "one a user: the primary key"},
    {"calls", "max_calls a user: the primary key"},
    {"email_attempts", "max_email_attempts_an_hour a user: the statement that adds one"},
    {"email_changes", "one a user: the primary key"},
    {"events", "50 of a kind a user: note_event()"},
    {"guesses", "240 an hour for an account: take_guess()"},
    {"hidden_key", "no one: made by a migration"},
    {"installation", "no one: made by a migration"},
    {"legacy_vault", "no one: the operator alone adds entries"},
    {"migrations", "no one: the operator alone adds them"},
    {"models", "max_models a provider: the statement that adds one, under the user's lock"},
    {"outbox", "max_mails of a kind a user: the trigger drop_oldest_mails"},
    {"password_resets", "two a user: the primary key"},
    {"provider_lists", "one a user: the primary key"},
    {"providers", "max_providers a user: the statement that adds one, under the user's lock"},
    {"rights", "no one: made by a migration"},
    {"ring_keys", "no one: the operator alone adds them"},
    {"rotations", "one a provider: the primary key"},
    {"sessions", "max_sessions a user: the trigger end_oldest_sessions"},
    {"users", "no one: the operator alone adds them"},
};
} // namespace
BOOST_AUTO_TEST_SUITE(caps_of_tables)
BOOST_AUTO_TEST_CASE(every_table_has_one) {
    const auto tables = as_superuser(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'usershell' ORDER BY tablename");
    std::string found, named;
    for (const auto& row : tables) found += row[0].as<std::string>() + "\n";
    for (const auto& [table, cap] : caps) named += table + "\n";
    BOOST_TEST(found == named);
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
        return as_superuser(
                   "SELECT count(*) FROM usershell.outbox WHERE owner_id = $1 AND kind = $2",
                   user.id.text(), kind)[0][0]
            .as<int>();
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
    BOOST_TEST(as_superuser("SELECT extract(epoch FROM min(queued_at))::int FROM usershell.outbox "
                            "WHERE owner_id = $1 AND kind = 'x'",
                            user.id.text())[0][0]
                   .as<int>() == 5);
}
BOOST_AUTO_TEST_SUITE_END()
} // namespace usershell::store
