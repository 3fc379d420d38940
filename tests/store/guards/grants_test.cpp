// Acts that PostgreSQL itself refuses to each role.
#include "store/store_fixture.hpp"
namespace usershell::store {
namespace {
constexpr const char* auth = "usershell_auth";
constexpr const char* manage_role = "usershell_manage";
constexpr const char* execute_role = "usershell_execute";
constexpr const char* mail_role = "usershell_mail";
// What a role may do nothing with at all follows from the whole of its rights (rights_test.cpp).
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

BOOST_AUTO_TEST_CASE(the_public_may_nothing_in_the_database) {
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
