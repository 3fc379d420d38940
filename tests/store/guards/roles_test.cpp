// What a thief of a role can leave behind: nothing of it changes a program, each is found, and
// sql/roles.sql takes it back.
#include "store/installation.hpp"
#include "store/store_fixture.hpp"
namespace usershell::store {
namespace {
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
    BOOST_TEST(limits.size() == 6U);
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
