// sql/rights.sql against PostgreSQL's catalogue, both ways: nobody has a right that is not on the
// page, and whoever is on it has what it says. Acts that PostgreSQL itself refuses to each role.
// What a thief of a role can leave behind: nothing of it changes a program, each is found, and
// sql/roles.sql takes it back.
#include "base/ascii.hpp"
#include "store/installation.hpp"
#include "store/migrations/migrate.hpp"
#include "store/store_fixture.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <map>
namespace usershell::store {
namespace {
/// "usershell_mail UPDATE usershell.outbox.sealed" or "usershell_auth EXECUTE
/// usershell.own_tokens()".
using Rights = std::set<std::string>;

std::string trimmed(const std::string& text) {
    const auto start = text.find_first_not_of(" \n");
    return start == std::string::npos
               ? ""
               : text.substr(start, text.find_last_not_of(" \n") + 1 - start);
}
/// The parts between commas that stand in no parentheses.
std::vector<std::string> parts_of(const std::string& list) {
    std::vector<std::string> parts{""};
    int depth = 0;
    for (const char c : list) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ',' && depth == 0)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    for (std::string& part : parts) part = trimmed(part);
    return parts;
}
/// "SELECT (a, b)": the privilege, and what stands behind the object's name in a right.
std::pair<std::string, std::vector<std::string>> privilege_of(const std::string& text) {
    const auto open = text.find('(');
    if (open == std::string::npos) return {text, {""}};
    std::vector<std::string> columns = parts_of(text.substr(open + 1, text.find(')') - open - 1));
    for (std::string& column : columns) column.insert(0, ".");
    return {trimmed(text.substr(0, open)), columns};
}
std::string object_of(const std::string& kind, const std::string& name) {
    return kind == "FUNCTION" ? value<std::string>("SELECT $1::regprocedure::text", name) : name;
}
Rights on_the_page() {
    static const std::regex comment{"--[^\n]*"};
    static const std::regex grant{
        R"(\nGRANT\s([^;]*?)\sON\s+(?:(SCHEMA|FUNCTION)\s)?([^;]*?)\sTO\s([^;]*);)"};
    const std::string page = std::regex_replace(std::string{rights()}, comment, "");
    Rights all;
    for (std::sregex_iterator found{page.begin(), page.end(), grant}, end; found != end; ++found)
        for (const auto& object : parts_of((*found)[3]))
            for (const auto& each : parts_of((*found)[1]))
                for (const auto& [privilege, columns] : {privilege_of(each)})
                    for (const auto& column : columns)
                        for (const auto& role : parts_of((*found)[4]))
                            BOOST_TEST(all.insert(role + " " + privilege + " " +
                                                  object_of((*found)[2], object) + column)
                                           .second,
                                       "twice: " << each << " on " << object << " to " << role);
    return all;
}
constexpr const char* catalogue = R"sql(
WITH relations AS (
    SELECT oid, oid::regclass::text AS name, relowner, relacl, relkind FROM pg_class
     WHERE relnamespace = 'usershell'::regnamespace AND relkind IN ('r', 'v', 'm', 'p', 'f', 'S')
), objects AS (
    SELECT nspname::text AS name, nspowner AS owner, coalesce(nspacl, acldefault('n', nspowner)) AS acl
      FROM pg_namespace WHERE nspname = 'usershell'
     UNION ALL
    SELECT name, relowner, coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's'::"char" ELSE 'r' END, relowner)) FROM relations
     UNION ALL
    SELECT r.name || '.' || c.attname, r.relowner, c.attacl FROM relations r JOIN pg_attribute c ON c.attrelid = r.oid
     UNION ALL
    SELECT oid::regprocedure::text, proowner, coalesce(proacl, acldefault('f', proowner))
      FROM pg_proc WHERE pronamespace = 'usershell'::regnamespace
)
SELECT concat_ws(' ', coalesce(role.rolname, 'PUBLIC'), a.privilege_type, o.name,
                 CASE WHEN a.is_grantable THEN 'WITH GRANT OPTION' END) AS given
  FROM objects o CROSS JOIN aclexplode(o.acl) a LEFT JOIN pg_roles role ON role.oid = a.grantee
 WHERE a.grantee <> o.owner)sql";

/// A database whose rights somebody changes.
struct Handled {
    pqxx::result query(const std::string& sql) const {
        pqxx::connection connection{database.as_superuser()};
        return pqxx::nontransaction{connection}.exec(sql);
    }
    Rights given() const {
        Rights all;
        for (const auto& row : query(catalogue)) all.insert(row[0].as<std::string>());
        return all;
    }
    bool is_as_recorded() const {
        Acting owner{database.as_owner()};
        const auto difference = compare_rights(*owner);
        return difference.missing.empty() && difference.foreign.empty();
    }
    test::TestDatabase database;
};

BOOST_FIXTURE_TEST_CASE(the_rights_are_those_of_the_page, Handled) {
    const Rights page = on_the_page();
    BOOST_TEST(page.size() > 100U);
    BOOST_TEST(given() == page, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(what_is_changed_by_hand_is_found_and_taken_back, Handled) {
    const Rights page = on_the_page();
    for (const char* change :
         {"GRANT SELECT (sealed_key) ON usershell.providers TO usershell_manage",
          "GRANT SELECT ON usershell.hidden_key TO PUBLIC",
          "GRANT EXECUTE ON FUNCTION usershell.auth_user_id() TO usershell_execute",
          "GRANT CREATE ON SCHEMA usershell TO usershell_mail",
          "GRANT SELECT ON usershell.sessions TO pg_monitor",
          ("GRANT SELECT ON usershell.users TO usershell_mail WITH GRANT OPTION;"
           "SET SESSION AUTHORIZATION usershell_mail;"
           "GRANT SELECT ON usershell.users TO usershell_rewrap"),
          ("CREATE SEQUENCE usershell.mine; ALTER SEQUENCE usershell.mine OWNER TO usershell_owner;"
           "GRANT USAGE ON SEQUENCE usershell.mine TO usershell_auth"),
          "REVOKE SELECT ON usershell.ring_keys FROM usershell_auth",
          "REVOKE UPDATE (sealed) ON usershell.outbox FROM usershell_mail",
          "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA usershell FROM usershell_execute"}) {
        BOOST_TEST_CONTEXT(change) {
            query(change);
            BOOST_TEST((given() != page));
            BOOST_TEST(!is_as_recorded());
            BOOST_TEST(migrate(database.as_owner()).empty());
            query("DROP SEQUENCE IF EXISTS usershell.mine");
            BOOST_TEST((given() == page));
            BOOST_TEST(is_as_recorded());
        }
    }
}

BOOST_FIXTURE_TEST_CASE(a_migration_gives_no_right, Handled) {
    std::vector<Migration> more{migrations().begin(), migrations().end()};
    more.push_back(
        {"9999_more", "c", "0.1.0",
         "CREATE TABLE usershell.more (); GRANT SELECT ON usershell.more TO usershell_mail;"
         "CREATE FUNCTION usershell.more() RETURNS void LANGUAGE sql AS ''"});
    BOOST_TEST(migrate(database.as_owner(), more).size() == 1U);
    BOOST_TEST((given() == on_the_page()));
}

constexpr const char* auth = "usershell_auth";
constexpr const char* manage_role = "usershell_manage";
constexpr const char* execute_role = "usershell_execute";
constexpr const char* opener_role = "usershell_opener";
constexpr const char* mail_role = "usershell_mail";
// What a role may do nothing with at all follows from the whole of its rights (above).
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
      "SELECT usershell.begin_call('', gen_random_uuid(), NULL, NULL, false)",
      "SELECT usershell.next_key(NULL, NULL, NULL, NULL, true)", "SET ROLE usershell_manage",
      "SET ROLE usershell_opener"}},
    {opener_role,
     {"INSERT INTO usershell.ring_keys (id, role) VALUES (repeat('0', 32), 'vault')",
      "SELECT usershell.end_calls('[]')", "SELECT usershell.renew_calls('{}', '{}')",
      "SELECT FROM usershell.providers", "SELECT FROM usershell.calls",
      "CREATE TABLE usershell.mine ()", "SET ROLE usershell_execute"}},
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

// So an error in a function of the owner's shows no row.
BOOST_AUTO_TEST_CASE(each_table_but_those_that_all_read_forces_row_level_security) {
    const auto open = as_superuser(R"sql(
        SELECT c.relname FROM pg_class c
        WHERE c.relnamespace = 'usershell'::regnamespace AND c.relkind = 'r'
          AND c.relname NOT IN ('migrations', 'installation', 'ring_keys', 'rights')
          AND NOT (c.relrowsecurity AND c.relforcerowsecurity))sql");
    BOOST_TEST(open.empty());
}

// A right to write a whole table is a right to lock it; one to write columns is none.
BOOST_AUTO_TEST_CASE(no_weak_role_may_lock_a_table_and_no_function_takes_a_lock_of_any) {
    const auto lockable = as_superuser(R"sql(
        SELECT role, c.relname FROM pg_class c,
             unnest(ARRAY['usershell_auth', 'usershell_execute', 'usershell_opener', 'usershell_mail', 'usershell_rewrap']) role
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

constexpr const char* thief = "usershell_execute";

void as_thief(const std::string& sql) {
    pqxx::connection connection{test_database().as(thief)};
    pqxx::nontransaction{connection}.exec(sql);
}
/// As `usershellctl init` does.
void make_roles() {
    const std::string command =
        "psql -XqAt -d postgres -v ON_ERROR_STOP=1 -v database=" + test_database().name() +
        " -f '" USERSHELL_SOURCE_DIR "/sql/roles.sql'";
    BOOST_REQUIRE(std::system(command.c_str()) == 0); // NOLINT(cert-env33-c)
}
struct Mended {
    ~Mended() { make_roles(); }
};
std::vector<std::string> faults() { return faults_of_roles(*Operating{}); }

BOOST_AUTO_TEST_CASE(no_default_that_a_role_has_set_for_itself_counts) {
    const Mended mended;
    int count = 0;
    for (const auto& row : as_superuser(R"sql(
             SELECT format('ALTER ROLE usershell_execute SET %I = %L', name,
                    CASE vartype WHEN 'bool' THEN CASE setting WHEN 'on' THEN 'off' ELSE 'on' END
                                 WHEN 'enum' THEN (SELECT v FROM unnest(enumvals) v WHERE v <> setting LIMIT 1)
                                 WHEN 'string' THEN 'nonsense'
                                 ELSE CASE WHEN setting = min_val THEN max_val ELSE min_val END END)
               FROM pg_settings WHERE context = 'user')sql")) {
        try {
            as_superuser(row[0].c_str());
            ++count;
        } catch (const pqxx::failure&) { // that setting takes no such value
        }
    }
    as_superuser("ALTER ROLE usershell_execute SET plpgsql.extra_errors = 'all'");
    as_superuser("ALTER ROLE usershell_execute SET usershell.session = 'nonsense'");
    BOOST_TEST(count > 100);
    BOOST_CHECK_THROW(as_thief("SELECT 1"), pqxx::failure); // without what a program does
    const TestUser user = add_user();
    const ProviderOwner owner;
    const Executing executing{owner.owner};
    const Acting acting{test_database().as(thief)};
    Transaction look{const_cast<Lease&>(acting.lease).connection(), false};
    look.script("look", R"sql(DO $$ BEGIN
        IF EXISTS (SELECT FROM pg_settings WHERE source IN ('user', 'database user') AND context = 'user') THEN
            RAISE 'a default of the role counts';
        END IF; END $$)sql");
}

BOOST_AUTO_TEST_CASE(what_a_thief_leaves_is_found_and_taken_back) {
    BOOST_TEST(faults().empty());
    const auto leaves = [](const std::string& sql, const std::string& words, bool is_operators) {
        BOOST_TEST_CONTEXT(sql) {
            const Mended mended;
            if (is_operators)
                as_superuser(sql);
            else
                as_thief(sql);
            const auto found = faults();
            BOOST_TEST_REQUIRE(found.size() == 1);
            BOOST_TEST(found.front() == "The role usershell_execute " + words);
        }
        BOOST_TEST(faults().empty());
    };
    const std::string role = "ALTER ROLE usershell_execute ";
    leaves(role + "SET default_transaction_read_only = on", "has settings of its own.", false);
    leaves(role + "IN DATABASE " + test_database().name() + " SET row_security = off",
           "has settings of its own.", false);
    leaves("DO $$ BEGIN PERFORM lo_create(4711);"
           " ALTER LARGE OBJECT 4711 OWNER TO usershell_execute; END $$",
           "has large objects.", true);
    leaves(role + "VALID UNTIL 'infinity'", "may log in with a password.", true);
    leaves(role + "CONNECTION LIMIT -1", "may take all connections.", true);
    leaves(role + "CONNECTION LIMIT 150", "may take all connections.", true);
    leaves(role + "RESET temp_file_limit", "may fill the disk with temporary files.", true);
}

BOOST_AUTO_TEST_CASE(what_every_role_may_do_by_a_function_is_found_and_taken_back) {
    for (const auto& [statement, words] : std::map<std::string, std::string>{
             {"ALTER FUNCTION texteq(text, text) LEAKPROOF", "leakproof"},
             {"GRANT EXECUTE ON FUNCTION lowrite(integer, bytea) TO PUBLIC", "large objects"},
             {"GRANT EXECUTE ON FUNCTION pg_try_advisory_lock(integer, integer) TO PUBLIC",
              "locks by number"},
             {"GRANT EXECUTE ON FUNCTION pg_notify(text, text) TO PUBLIC", "notifications"},
             {"GRANT EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text) TO PUBLIC",
              "messages in the log"}})
        BOOST_TEST_CONTEXT(statement) {
            const Mended mended;
            as_superuser(statement);
            const auto found = faults();
            BOOST_TEST_REQUIRE(found.size() == 1U);
            BOOST_TEST(has(found.front(), words));
            make_roles();
            BOOST_TEST(faults().empty());
        }
}

BOOST_AUTO_TEST_CASE(no_role_fills_the_disk_with_temporary_files) {
    const Mended mended;
    for (const char* sql :
         {"SET temp_file_limit = -1", "ALTER ROLE CURRENT_USER SET temp_file_limit = -1",
          "SELECT pg_notify('a', '')", "SELECT pg_logical_emit_message(false, 'a', 'b')"})
        BOOST_CHECK_THROW(as_thief(sql), pqxx::insufficient_privilege);
    as_thief("ALTER ROLE CURRENT_USER SET work_mem = 64");
    as_thief("ALTER ROLE CURRENT_USER RESET ALL");
    const auto is_full = [](const pqxx::sql_error& error) { return error.sqlstate() == "53400"; };
    BOOST_CHECK_EXCEPTION(
        as_thief("BEGIN; DECLARE kept CURSOR WITH HOLD FOR SELECT repeat('x', 1000) "
                 "FROM generate_series(1, 100000); COMMIT"),
        pqxx::sql_error, is_full);
}

// Row-level security chooses the rows before anything that a role asks has seen one: not even how a
// statement was executed tells of the rows of others.
BOOST_AUTO_TEST_CASE(a_plan_tells_nothing_of_the_rows_of_others) {
    const ProviderOwner other;
    const TestUser asker = add_user();
    as_superuser("ANALYZE usershell.users, usershell.providers");
    const std::string address = other.user.email.shown;
    const auto plan = [&](const std::string& presented, const std::string& explained,
                          const std::string& condition) {
        pqxx::connection connection{test_database().as_manage()};
        pqxx::work transaction{connection};
        transaction.exec("SET enable_indexscan = off; SET enable_bitmapscan = off; SET "
                         "enable_indexonlyscan = off; "
                         "SET usershell.session = '" +
                         presented + "'");
        std::string text;
        for (const auto& row :
             transaction.exec("EXPLAIN (" + explained + ") SELECT 1 FROM usershell." + condition))
            text.append(row[0].c_str()).append("\n");
        boost::replace_all(text, address, "an address");
        return boost::replace_all_copy(text, "nobody@example.org", "an address");
    };
    const std::string hash = hex(session_of(asker.id).token_hash);
    for (const std::string& presented : {std::string{}, hash})
        for (const char* explained : {"ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF", "COSTS ON"})
            for (const std::string condition :
                 {"users WHERE email = '%'", "users WHERE email = ANY ('{%}')",
                  "users WHERE email >= ANY ('{%}')",
                  "users WHERE email = '%' AND display_name >= ''",
                  "users WHERE email IN ('%', '')", "users WHERE email < '%'",
                  "users WHERE email::varchar = '%'", "users WHERE starts_with(email, '%')",
                  "users WHERE email IS NOT DISTINCT FROM '%'", "users WHERE (email, 1) = ('%', 1)",
                  "users WHERE NULLIF(email, '%') IS NULL",
                  "users JOIN (VALUES ('%')) v (a) ON email = a"})
                BOOST_TEST_CONTEXT(presented.size() << " " << explained << ": " << condition) {
                    // One's own row may have it.
                    const bool is_of_order = has(condition, ">=") || has(condition, "<");
                    if (is_of_order && !presented.empty()) continue;
                    const auto of = [&](const std::string& given) {
                        return plan(presented, explained,
                                    boost::replace_all_copy(condition, "%", given));
                    };
                    BOOST_TEST(of(address) == of("nobody@example.org"));
                }
}

BOOST_AUTO_TEST_CASE(a_role_sets_a_password_that_never_counts) {
    const Mended mended;
    for (const char* sql : {"ALTER ROLE CURRENT_USER VALID UNTIL 'infinity'",
                            "ALTER ROLE CURRENT_USER CONNECTION LIMIT -1",
                            "SELECT lo_from_bytea(0, '')", "SELECT lo_creat(-1)",
                            "SELECT pg_advisory_lock(1)", "SELECT pg_try_advisory_xact_lock(1, 2)"})
        BOOST_CHECK_THROW(as_thief(sql), pqxx::insufficient_privilege);
    as_thief("ALTER ROLE CURRENT_USER PASSWORD 'of the thief'");
    const std::string password_counts =
        "SELECT 1 FROM pg_authid WHERE rolname = 'usershell_execute' AND rolpassword IS NOT NULL";
    BOOST_TEST(any(password_counts));
    BOOST_TEST(any("SELECT 1 FROM pg_roles WHERE rolname = 'usershell_execute' "
                   "AND rolvaliduntil = '-infinity'"));
    make_roles();
    BOOST_TEST(!any(password_counts));
}

BOOST_AUTO_TEST_CASE(no_role_takes_the_connections_of_the_others) {
    const auto limits = connection_limits(*Operating{});
    BOOST_TEST(limits.size() == 7U);
    const std::string role = "usershell_rewrap";
    std::vector<std::unique_ptr<pqxx::connection>> open;
    for (long long i = 0; i < limits.at(role); ++i)
        open.push_back(std::make_unique<pqxx::connection>(test_database().as(role)));
    BOOST_CHECK_THROW(pqxx::connection{test_database().as(role)}, pqxx::failure);
    BOOST_TEST(Operating{}.lease.connection().is_open());
}

BOOST_AUTO_TEST_CASE(an_operator_hears_of_row_security_that_is_off) {
    const std::string database = "ALTER DATABASE " + test_database().name();
    as_superuser(database + " SET row_security = off");
    const auto found = faults();
    const ProviderOwner owner; // works nevertheless
    as_superuser(database + " RESET row_security");
    BOOST_TEST_REQUIRE(found.size() == 1U);
    BOOST_TEST(has(found.front(), "switched off for the whole database"));
}
} // namespace
} // namespace usershell::store
