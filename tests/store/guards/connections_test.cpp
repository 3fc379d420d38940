// What a connection is opened with, and that it never shows the rows of the user it served before.
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

/// Two users with a provider each, and a pool of one connection that serves both.
struct OneConnection {
    OneConnection() { serve_first(); }
    void serve_first() {
        Lease its{database};
        its.present(of_first);
        BOOST_TEST(sees(its, first));
    }
    static bool sees(Lease& its, const ProviderOwner& user) {
        return find_provider_fields(its, user.owner, user.provider).has_value();
    }
    ProviderOwner first;
    ProviderOwner second;
    std::string of_first = session_of(first.owner).token_hash;
    std::string of_second = session_of(second.owner).token_hash;
    Database database{test_database().as_manage(), 1};
    Lease lease{database};
};

BOOST_FIXTURE_TEST_CASE(a_lease_sees_what_its_identity_may_and_nothing_without_one, OneConnection) {
    BOOST_TEST(!sees(lease, first));
    BOOST_TEST(list_providers(lease, first.owner).empty());
    lease.present(of_second);
    BOOST_TEST(!sees(lease, first));
    BOOST_TEST(sees(lease, second));
    lease.present(of_first);
    BOOST_TEST(sees(lease, first));
    lease.present({});
    BOOST_TEST(!sees(lease, first));
    BOOST_TEST(!sign_request_in(lease, crypto::random_bytes(32)));
    BOOST_TEST(!sees(lease, first));
    lease.present(of_first);
    BOOST_TEST(!sign_request_in(lease, crypto::random_bytes(32)));
    BOOST_TEST(!sees(lease, first));
}

BOOST_FIXTURE_TEST_CASE(the_identity_comes_back_with_another_connection, OneConnection) {
    lease.present(of_second);
    BOOST_TEST(sees(lease, second));
    lease.release();
    serve_first();
    BOOST_TEST(sees(lease, second));
    BOOST_TEST(!sees(lease, first));
}

BOOST_FIXTURE_TEST_CASE(an_identity_ends_with_its_session, OneConnection) {
    lease.present(of_first);
    BOOST_TEST(sees(lease, first));
    as_superuser("UPDATE usershell.users SET security_stamp = DEFAULT WHERE id = $1",
                 first.owner.text());
    BOOST_TEST(!sees(lease, first));
}

BOOST_FIXTURE_TEST_CASE(a_stored_hash_can_not_be_presented, OneConnection) {
    const auto stored =
        as_superuser("SELECT unnest(ARRAY[token_hash, auth_token_hash]) FROM usershell.sessions "
                     "WHERE owner_id = $1",
                     first.owner.text());
    for (const auto& row : stored) {
        lease.present(bytes_of(row[0].as<std::string>()));
        BOOST_TEST(!sees(lease, first));
    }
}

BOOST_FIXTURE_TEST_CASE(a_token_of_one_program_is_none_of_another, OneConnection) {
    const SessionKeys keys = session_of(first.owner);
    for (const std::string& other : {keys.auth_token_hash, keys.calls_token_hash}) {
        lease.present(other);
        BOOST_TEST(!sees(lease, first));
    }
    Vouching vouching;
    for (const std::string& other : {keys.token_hash, keys.calls_token_hash, std::string{}}) {
        vouching.lease.present(other);
        BOOST_TEST(sign_out_everywhere(vouching.lease) == 0);
        BOOST_TEST(open_sessions(vouching.lease).empty());
    }
    lease.present(keys.token_hash);
    BOOST_TEST(sees(lease, first));
}

BOOST_FIXTURE_TEST_CASE(an_idle_connection_presents_nothing, OneConnection) {
    BOOST_TEST(lease.any_connection().may_present_one());
    lease.release();
    database.forget_sessions(1h);
    BOOST_TEST(lease.any_connection().may_present_one());
    lease.release();
    database.forget_sessions(0h);
    BOOST_TEST(!lease.any_connection().may_present_one());
}

BOOST_AUTO_TEST_CASE(many_users_over_few_connections_see_their_own_each_time) {
    const std::vector<ProviderOwner> users(8);
    Database database{test_database().as_manage(), 3};
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> requests;
    requests.reserve(users.size());
    for (const ProviderOwner& user : users) {
        requests.emplace_back([&, session = session_of(user.owner).token_hash] {
            for (int round = 0; round < 100; ++round) {
                Lease lease{database};
                const bool signed_in = round % 3 != 0;
                if (signed_in) lease.present(session);
                if (OneConnection::sees(lease, user) != signed_in) ++wrong;
            }
        });
    }
    requests.clear();
    BOOST_TEST(wrong == 0);
}
} // namespace
} // namespace usershell::store
