// A connection never shows the rows of the user it served before.
#include "store/store_fixture.hpp"
namespace usershell::store {
namespace {
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
        lease.present(bytes_of(row[0]));
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
