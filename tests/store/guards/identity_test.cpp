// A connection never shows the rows of the user it served before.
#include "store/store_fixture.hpp"

#include <atomic>
#include <thread>

namespace usershell::store {

namespace {

/// Two users with a provider each, and a pool of one connection that serves both.
struct OneConnection {
    OneConnection() { serve_first(); }

    void serve_first() {
        Lease its{database};
        its.act_as(first.owner);
        BOOST_TEST(sees(its, first));
    }
    static bool sees(Lease& its, const ProviderOwner& user) {
        return find_provider_fields(its, user.owner, user.provider).has_value();
    }

    ProviderOwner first;
    ProviderOwner second;
    Database database{test_database().as_manage(), 1};
    Lease lease{database};
};

} // namespace

BOOST_AUTO_TEST_SUITE(identity)

BOOST_FIXTURE_TEST_CASE(a_lease_without_identity_sees_nothing, OneConnection) {
    BOOST_TEST(!sees(lease, first));
    BOOST_TEST(list_providers(lease, first.owner).empty());
}

BOOST_FIXTURE_TEST_CASE(a_lease_of_another_user_sees_their_own, OneConnection) {
    lease.act_as(second.owner);
    BOOST_TEST(!sees(lease, first));
    BOOST_TEST(sees(lease, second));
}

BOOST_FIXTURE_TEST_CASE(a_failed_sign_in_leaves_nobody, OneConnection) {
    BOOST_TEST(!sign_request_in(lease, crypto::random_bytes(32)));
    BOOST_TEST(!sees(lease, first));
    lease.act_as(first.owner);
    BOOST_TEST(!sign_request_in(lease, crypto::random_bytes(32)));
    BOOST_TEST(!sees(lease, first));
}

BOOST_FIXTURE_TEST_CASE(the_identity_comes_back_with_another_connection, OneConnection) {
    lease.act_as(second.owner);
    BOOST_TEST(sees(lease, second));
    lease.release();
    serve_first();
    BOOST_TEST(sees(lease, second));
    BOOST_TEST(!sees(lease, first));
}

BOOST_FIXTURE_TEST_CASE(acting_as_nobody_again_shows_nothing, OneConnection) {
    lease.act_as(first.owner);
    BOOST_TEST(sees(lease, first));
    lease.act_as(std::nullopt);
    BOOST_TEST(!sees(lease, first));
}

BOOST_AUTO_TEST_CASE(many_users_over_few_connections_see_their_own_each_time) {
    const std::vector<ProviderOwner> users(8);
    Database database{test_database().as_manage(), 3};
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> requests;
    for (const ProviderOwner& user : users) {
        requests.emplace_back([&] {
            for (int round = 0; round < 100; ++round) {
                Lease lease{database};
                const bool signed_in = round % 3 != 0;
                if (signed_in) lease.act_as(user.owner);
                if (OneConnection::sees(lease, user) != signed_in) ++wrong;
            }
        });
    }
    requests.clear();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace usershell::store
