// Acts that PostgreSQL itself refuses to each role.
#include "store/store_fixture.hpp"
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
namespace usershell::store {
namespace {
constexpr const char* auth = "usershell_auth";
constexpr const char* manage_role = "usershell_manage";
constexpr const char* execute_role = "usershell_execute";
constexpr const char* mail_role = "usershell_mail";
// What a role may do nothing with at all follows from the whole of its rights, below.
const std::pair<const char*, std::vector<std::string>> forbidden[] = {
    {manage_role,
     {"SELECT sealed_key FROM usershell.providers",
      "SELECT sealed_key FROM usershell.accounts",
      "SELECT sealed_key FROM usershell.provider_headers",
      "UPDATE usershell.provider_headers SET name = 'x-other'",
      "UPDATE usershell.providers SET owner_id = usershell.current_user_id()",
      "UPDATE usershell.installation SET id = gen_random_uuid()",
      "INSERT INTO usershell.ring_keys (id, role) VALUES (repeat('0', 32), 'vault')",
      "SELECT password_hash FROM usershell.users",
      "UPDATE usershell.users SET password_hash = ''",
      "UPDATE usershell.users SET email = 'a@example.org'",
      "UPDATE usershell.users SET security_stamp = DEFAULT",
      "UPDATE usershell.users SET is_disabled = false",
      "INSERT INTO usershell.users (id) VALUES (gen_random_uuid())",
      "DELETE FROM usershell.users",
      "UPDATE usershell.provider_lists SET version = usershell.random_stamp()",
      "INSERT INTO usershell.provider_lists (owner_id, document) VALUES (NULL, '')",
      "DELETE FROM usershell.provider_lists",
      "INSERT INTO usershell.migrations (name, checksum) VALUES ('x', 'x')",
      "CREATE TABLE usershell.mine ()",
      "CREATE TABLE public.mine ()",
      "CREATE TEMPORARY TABLE mine ()",
      "CREATE SCHEMA mine",
      "SET ROLE usershell_owner",
      "SET ROLE usershell_execute"}},
    {auth,
     {"INSERT INTO usershell.ring_keys (id, role) VALUES (repeat('0', 32), 'auth')",
      "CREATE TABLE usershell.mine ()", "SET ROLE usershell_manage"}},
    {execute_role,
     {"INSERT INTO usershell.ring_keys (id, role) VALUES (repeat('0', 32), 'web')",
      "DELETE FROM usershell.ring_keys", "CREATE TABLE usershell.mine ()",
      "SET ROLE usershell_manage"}},
    {mail_role,
     {"INSERT INTO usershell.outbox (owner_id) VALUES (gen_random_uuid())",
      "UPDATE usershell.outbox SET owner_id = gen_random_uuid()",
      "UPDATE usershell.outbox SET kind = 'notice'", "DELETE FROM usershell.outbox",
      "INSERT INTO usershell.ring_keys (id, role) VALUES (repeat('0', 32), 'mail')",
      "CREATE TABLE usershell.mine ()", "SET ROLE usershell_manage", "SET ROLE usershell_execute"}},
};

BOOST_AUTO_TEST_CASE(is_refused) {
    for (const auto& [role, statements] : forbidden)
        for (const std::string& sql : statements) {
            pqxx::connection connection{test_database().as(role)};
            pqxx::work transaction{connection};
            BOOST_TEST_CONTEXT(role << ": " << sql)
            BOOST_CHECK_THROW(transaction.exec(sql), pqxx::insufficient_privilege);
        }
}

BOOST_AUTO_TEST_CASE(whatever_a_worker_may_touch_forces_row_level_security) {
    const auto open = as_superuser(R"sql(
        SELECT c.relname FROM pg_class c,
             unnest(ARRAY['usershell_auth', 'usershell_manage', 'usershell_execute', 'usershell_mail']) role
        WHERE c.relnamespace = 'usershell'::regnamespace AND c.relkind = 'r'
          AND c.relname NOT IN ('migrations', 'installation', 'ring_keys')
          AND (has_any_column_privilege(role, c.oid, 'SELECT, INSERT, UPDATE')
               OR has_table_privilege(role, c.oid, 'DELETE, TRUNCATE'))
          AND NOT (c.relrowsecurity AND c.relforcerowsecurity))sql");
    BOOST_TEST(open.empty());
}
/// The tables that a role may do anything with, and the functions it may call, by name.
struct Rights {
    const char* role;
    std::set<std::string> tables; ///< or views
    std::set<std::string> functions;
};
std::ostream& operator<<(std::ostream& out, const Rights& rights) { return out << rights.role; }

// Every program compares itself with installation, migrations and ring_keys when it starts.
const std::vector<Rights> whole_rights{
    {manage_role,
     {"accounts", "avatars", "installation", "migrations", "models", "provider_headers",
      "provider_lists", "providers", "ring_keys", "users"},
     {"count_legacy_entries", "current_user_id", "fold_legacy_vault", "key_entered_for",
      "microseconds", "next_in_turn", "pending_email", "random_stamp", "report_ring",
      "sign_request_in"}},
    {auth,
     {"installation", "migrations", "ring_keys"},
     {"announce_event",       "ask_password_reset",
      "change_password",      "check_password",
      "clear_attempts",       "confirm_email_change",
      "delete_own_user",      "end_link",
      "end_session",          "events_to_announce",
      "find_password",        "find_password_reset",
      "find_recipient",       "finish_password_reset",
      "forgive_attempt",      "latest_events",
      "make_token",           "note_throttled",
      "open_links",           "open_sessions",
      "own_tokens",           "own_usage",
      "pending_email",        "renew_sign_in",
      "report_ring",          "revoke_token",
      "sign_auth_request_in", "sign_out_everywhere",
      "start_email_change",   "start_session",
      "sweep_events",         "sweep_leftovers",
      "sweep_sessions",       "sweep_tokens",
      "take_attempt",         "take_guess",
      "token_choices",        "usage_sums"}},
    {execute_role,
     {"installation", "migrations", "ring_keys"},
     {"begin_call", "begin_token_call", "end_calls", "load_provider", "model_sees", "renew_calls",
      "report_ring"}},
    {mail_role,
     {"installation", "migrations", "outbox", "ring_keys"},
     {"mail_sent", "report_ring"}},
    {"usershell_rewrap",
     {"installation", "migrations", "ring_keys"},
     {"keys_to_rewrap", "swap_envelope"}},
};
std::set<std::string> names_in(const std::string& sql, const std::string& role) {
    std::set<std::string> names;
    for (const auto& row : as_superuser(sql, role)) names.insert(row[0].as<std::string>());
    return names;
}

BOOST_DATA_TEST_CASE(a_role_may_do_that_and_nothing_else, whole_rights) {
    const auto tables = names_in(R"sql(
        SELECT c.relname FROM pg_class c
        WHERE c.relnamespace = 'usershell'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p')
          AND (has_any_column_privilege($1, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')
               OR has_table_privilege($1, c.oid, 'DELETE, TRUNCATE, TRIGGER')))sql",
                                 sample.role);
    BOOST_TEST(tables == sample.tables, boost::test_tools::per_element());
    const auto functions =
        names_in("SELECT proname FROM pg_proc WHERE pronamespace = 'usershell'::regnamespace "
                 "AND has_function_privilege($1, oid, 'EXECUTE')",
                 sample.role);
    BOOST_TEST(functions == sample.functions, boost::test_tools::per_element());
}

// A right to write a whole table is a right to lock it; one to write columns is none.
BOOST_AUTO_TEST_CASE(no_weak_role_may_lock_a_table_and_no_function_takes_a_lock_of_any) {
    const auto lockable = as_superuser(R"sql(
        SELECT role, c.relname FROM pg_class c,
             unnest(ARRAY['usershell_auth', 'usershell_execute', 'usershell_mail', 'usershell_rewrap']) role
        WHERE c.relnamespace = 'usershell'::regnamespace AND c.relkind IN ('r', 'v', 'p')
          AND has_table_privilege(role, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE'))sql");
    BOOST_TEST(lockable.empty());
    const auto takers =
        as_superuser("SELECT proname FROM pg_proc WHERE pronamespace = 'usershell'::regnamespace "
                     "AND pg_get_functiondef(oid) LIKE '%advisory%'");
    BOOST_TEST(takers.empty());
}

BOOST_AUTO_TEST_CASE(owner_id_comes_first_in_the_primary_key_of_whatever_has_it) {
    const std::string first_columns = R"sql(
        SELECT c.relname, a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
        WHERE i.indisprimary AND c.relnamespace = 'usershell'::regnamespace
          AND EXISTS (SELECT FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attname = 'owner_id'))sql";
    BOOST_TEST(as_superuser(first_columns).size() >= 7);
    BOOST_TEST(as_superuser(first_columns + " AND a.attname <> 'owner_id'").empty());
}

BOOST_AUTO_TEST_CASE(the_public_may_nothing) {
    const auto functions =
        as_superuser("SELECT proname FROM pg_proc WHERE pronamespace = 'usershell'::regnamespace "
                     "AND has_function_privilege('public', oid, 'EXECUTE')");
    BOOST_TEST(functions.empty());
    const auto database = as_superuser(
        "SELECT has_database_privilege('public', current_database(), 'CONNECT, TEMP, CREATE'), "
        "has_schema_privilege('public', 'public', 'USAGE, CREATE')");
    BOOST_TEST(!database[0][0].as<bool>());
    BOOST_TEST(!database[0][1].as<bool>());
}

BOOST_AUTO_TEST_CASE(functions_with_their_owners_rights_have_a_fixed_search_path) {
    const auto loose = as_superuser(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'usershell'::regnamespace AND prosecdef "
        "AND NOT coalesce(proconfig @> ARRAY['search_path=pg_catalog, pg_temp'], false)");
    BOOST_TEST(loose.empty());
    BOOST_TEST(as_superuser("SELECT 1 FROM pg_proc WHERE pronamespace = 'usershell'::regnamespace "
                            "AND prosecdef")
                   .size() >= 3);
}
} // namespace
} // namespace usershell::store
