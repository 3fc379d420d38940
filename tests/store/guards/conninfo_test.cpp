#include "store/database/conninfo.hpp"
#include "store/store_fixture.hpp"

namespace usershell::store {

namespace {

std::string setting(const std::string& conninfo, const std::string& name) {
    pqxx::connection connection{conninfo};
    pqxx::nontransaction statement{connection};
    return statement.exec("SELECT current_setting('" + name + "')")[0][0].as<std::string>();
}

} // namespace

BOOST_AUTO_TEST_SUITE(connection_strings)

BOOST_AUTO_TEST_CASE(a_workers_statements_are_limited_and_an_operators_are_not) {
    const std::string given = test_database().as_manage();
    BOOST_TEST(setting(for_requests(given), "statement_timeout") == "5s");
    BOOST_TEST(setting(for_requests(given), "lock_timeout") == "2s");
    BOOST_TEST(setting(for_requests(given), "idle_in_transaction_session_timeout") == "10s");
    BOOST_TEST(setting(for_operations(given), "statement_timeout") == "0");
    BOOST_TEST(setting(for_requests(given), "client_encoding") == "UTF8");
}

BOOST_AUTO_TEST_CASE(what_the_string_says_itself_stands) {
    const std::string given =
        test_database().as_manage() + " application_name='it''s' options='-c statement_timeout=7s'";
    const std::string spelled = test_database().as_manage() +
                                R"( application_name='it\'s \\' options='-c statement_timeout=7s')";
    BOOST_CHECK_THROW(for_requests(given), std::runtime_error); // libpq's quoting, not SQL's
    BOOST_TEST(setting(for_requests(spelled), "application_name") == "it's \\");
    BOOST_TEST(setting(for_requests(spelled), "statement_timeout") == "7s");
    BOOST_TEST(setting(for_requests(spelled), "lock_timeout") == "2s");
}

BOOST_AUTO_TEST_CASE(a_uri_is_as_good) {
    const char* const host = std::getenv("PGHOST");
    BOOST_REQUIRE(host != nullptr);
    std::string uri = "postgresql://usershell_manage@/" + test_database().name() + "?host=" + host;
    BOOST_TEST(setting(for_requests(uri), "statement_timeout") == "5s");
    BOOST_TEST(setting(with_default_user(uri, "usershell_owner"), "role") == "none");
    BOOST_TEST(with_default_user(uri, "usershell_owner").find("usershell_manage") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_user_is_added_where_none_is_named) {
    BOOST_TEST(with_default_user("dbname=x", "usershell_owner").find("user='usershell_owner'") !=
               std::string::npos);
    BOOST_TEST(with_default_user("dbname=x user=me", "usershell_owner").find("usershell_owner") ==
               std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace usershell::store
