// Whose rows a connection shows: never those of whom it served before.
#include "store/database/connection.hpp"
#include "store/store_fixture.hpp"

#include <thread>

namespace usershell::store {

namespace {

const std::string empty_list = R"({"providers":[]})";

/// Two households, and one pool of one connection that serves both.
struct OneConnection {
    void serve_first() {
        Lease lease{database};
        lease.act_as(first.owner);
        BOOST_TEST(list_providers(lease, first.owner).find(first.provider.text()) !=
                   std::string::npos);
    }

    Household first;
    Household second;
    Database database{test_database().as_manage(), 1};
};

} // namespace

BOOST_AUTO_TEST_SUITE(identity)

BOOST_FIXTURE_TEST_CASE(a_lease_without_identity_sees_nothing, OneConnection) {
    serve_first();
    Lease lease{database};
    BOOST_TEST(list_providers(lease, first.owner) == empty_list);
    BOOST_TEST(!provider_document(lease, first.owner, first.provider));
}

BOOST_FIXTURE_TEST_CASE(a_lease_of_another_sees_their_own, OneConnection) {
    serve_first();
    Lease lease{database};
    lease.act_as(second.owner);
    BOOST_TEST(list_providers(lease, first.owner) == empty_list);
    BOOST_TEST(provider_document(lease, second.owner, second.provider).has_value());
}

BOOST_FIXTURE_TEST_CASE(a_failed_sign_in_leaves_nobody, OneConnection) {
    serve_first();
    Lease lease{database};
    BOOST_TEST(!sign_request_in(lease, crypto::random_bytes(32)));
    BOOST_TEST(list_providers(lease, first.owner) == empty_list);
}

BOOST_FIXTURE_TEST_CASE(a_failed_sign_in_ends_an_earlier_identity_of_the_lease, OneConnection) {
    Lease lease{database};
    lease.act_as(first.owner);
    BOOST_TEST(!sign_request_in(lease, crypto::random_bytes(32)));
    BOOST_TEST(list_providers(lease, first.owner) == empty_list);
}

BOOST_FIXTURE_TEST_CASE(the_identity_comes_back_with_another_connection, OneConnection) {
    Lease lease{database};
    lease.act_as(second.owner);
    BOOST_TEST(provider_document(lease, second.owner, second.provider).has_value());
    lease.release();
    serve_first();
    BOOST_TEST(provider_document(lease, second.owner, second.provider).has_value());
    BOOST_TEST(list_providers(lease, first.owner) == empty_list);
}

BOOST_FIXTURE_TEST_CASE(acting_as_nobody_again_shows_nothing, OneConnection) {
    Lease lease{database};
    lease.act_as(first.owner);
    list_providers(lease, first.owner);
    lease.act_as(std::nullopt);
    BOOST_TEST(list_providers(lease, first.owner) == empty_list);
}

BOOST_AUTO_TEST_CASE(many_people_over_few_connections_see_their_own_each_time) {
    constexpr int threads = 8;
    std::vector<std::unique_ptr<Household>> homes;
    for (int i = 0; i < threads; ++i) homes.push_back(std::make_unique<Household>());
    Database database{test_database().as_manage(), 3};
    std::atomic<int> wrong = 0;
    std::vector<std::thread> requests;
    for (int i = 0; i < threads; ++i) {
        requests.emplace_back([&, i] {
            const Household& home = *homes[static_cast<std::size_t>(i)];
            for (int round = 0; round < 100; ++round) {
                Lease lease{database};
                const bool signed_in = round % 3 != 0;
                if (signed_in) lease.act_as(home.owner);
                const std::string list = list_providers(lease, home.owner);
                const bool own = list.find(home.provider.text()) != std::string::npos;
                if (own != signed_in) ++wrong;
            }
        });
    }
    for (std::thread& request : requests) request.join();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace usershell::store
