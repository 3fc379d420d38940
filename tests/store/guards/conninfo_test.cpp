#include "runtime/descriptor.hpp"
#include "store/database/conninfo.hpp"
#include "store/store_fixture.hpp"
#include <netinet/in.h>
namespace usershell::store {
namespace {
std::string setting(const std::string& conninfo, const std::string& name) {
    pqxx::connection connection{conninfo};
    pqxx::nontransaction statement{connection};
    return statement.exec("SELECT current_setting('" + name + "')")[0][0].as<std::string>();
}

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

BOOST_AUTO_TEST_CASE(a_uri_is_as_good_and_a_user_is_added_where_none_is_named) {
    const char* const host = std::getenv("PGHOST");
    BOOST_REQUIRE(host != nullptr);
    std::string uri = "postgresql://usershell_manage@/" + test_database().name() + "?host=" + host;
    BOOST_TEST(setting(for_requests(uri), "statement_timeout") == "5s");
    BOOST_TEST(setting(with_default_user(uri, "usershell_owner"), "role") == "none");
    BOOST_TEST(has(with_default_user(uri, "usershell_owner"), "usershell_manage"));
    BOOST_TEST(has(with_default_user("dbname=x", "usershell_owner"), "user='usershell_owner'"));
    BOOST_TEST(!has(with_default_user("dbname=x user=me", "usershell_owner"), "usershell_owner"));
}

BOOST_AUTO_TEST_CASE(a_host_comes_first_with_what_belongs_to_it) {
    const auto in_order = [](const std::string& given, const std::string& port) {
        const auto made = with_host_first(given, "b", port);
        return keyword(made, "host") + " " + keyword(made, "port") + " " +
               keyword(made, "hostaddr");
    };
    BOOST_TEST(in_order("host=a,b,c", "5432") == "b,a,c  ");
    BOOST_TEST(in_order("host=a,b port=1,2 hostaddr=::1,::2", "2") == "b,a 2,1 ::2,::1");
    BOOST_TEST(in_order("host=b,b port=1,2", "2") == "b,b 2,1 ");
    BOOST_TEST(in_order("host=a,b port=7", "7") == "b,a 7 ");
    BOOST_TEST(in_order("host=a,c", "5432") == "a,c  ");
}

BOOST_AUTO_TEST_CASE(a_dark_server_is_waited_for_once) {
    pqxx::connection reached{test_database().as_manage()};
    const Descriptor dark{socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)}; // listens, says nothing
    BOOST_REQUIRE(listen(dark.get(), 10) == 0);
    sockaddr_in address{};
    socklen_t size = sizeof address;
    getsockname(dark.get(), reinterpret_cast<sockaddr*>(&address), &size);
    Database database{
        with_keywords(test_database().as_manage(),
                      {{"host", std::string{"127.0.0.1,"} + reached.hostname()},
                       {"port", std::to_string(ntohs(address.sin_port)) + "," + reached.port()},
                       {"connect_timeout", "2"}}),
        2};
    Lease first{database};
    Lease second{database};
    BOOST_TEST(first.connection().is_open());
    BOOST_TEST(second.connection().is_open());
    BOOST_TEST(Descriptor{accept(dark.get(), nullptr, nullptr)}.get() >= 0);
    BOOST_TEST(Descriptor{accept(dark.get(), nullptr, nullptr)}.get() == -1);
}
} // namespace
} // namespace usershell::store
