// The pool of connections: when all are lent, and after losses.
#include "store/faults/faults.hpp"
namespace usershell::store {
namespace {
/// Does the lease get a connection that works, without a second try?
bool works(Lease& lease) { return !lease.connection().run(statement_named("ping")).empty(); }

BOOST_AUTO_TEST_CASE(when_all_are_lent_the_next_waits_and_is_then_refused) {
    Database database{test_database().as_manage(), 2, {.wait = 20ms}};
    Lease first{database}, second{database}, third{database};
    first.connection();
    second.connection();
    unavailable_for_a_second([&] { third.connection(); });
    first.release();
    BOOST_TEST(works(third));
}

BOOST_AUTO_TEST_CASE(one_who_waits_gets_what_is_given_back) {
    Database database{test_database().as_manage(), 1, {.wait = 60s, .limit = 60s}};
    Lease first{database};
    first.connection();
    bool worked = false;
    std::jthread waiting{[&] {
        Lease second{database};
        worked = works(second);
    }};
    first.release();
    waiting.join();
    BOOST_TEST(worked);
}

BOOST_AUTO_TEST_CASE(a_connection_is_used_again) {
    Database database{test_database().as_manage(), 4};
    const auto backend = [&] {
        Lease one{database};
        return &one.connection();
    };
    BOOST_TEST(backend() == backend());
}

BOOST_FIXTURE_TEST_CASE(after_a_loss_no_idle_one_is_trusted, ProviderOwner) {
    Database database{test_database().as_manage(), 8};
    for (int round = 0; round < 3; ++round) {
        {
            std::vector<std::unique_ptr<Lease>> leases(8);
            for (auto& each : leases) {
                each = std::make_unique<Lease>(database);
                BOOST_TEST(works(*each));
            }
        }
        // All eight are lost: one retry would not be enough if the next were an idle one, too.
        lose_connections();
        Lease one{database};
        one.present(session_of(owner).token_hash);
        BOOST_TEST(find_provider_fields(one, owner, provider).has_value());
    }
}

BOOST_AUTO_TEST_CASE(one_lent_when_others_were_lost_is_not_pooled_again) {
    Database database{test_database().as_manage(), 2};
    Lease holding{database};
    holding.connection();
    {
        Lease losing{database};
        losing.connection();
        lose_connections(); // the held one, too
        losing.discard();
    }
    holding.release();
    Lease next{database};
    BOOST_TEST(works(next));
}

BOOST_AUTO_TEST_CASE(one_long_idle_is_tried_before_it_is_lent) {
    Database database{test_database().as_manage(), 1, {.ping_after = 0ms}};
    Lease{database}.connection();
    lose_connections();
    Lease next{database};
    BOOST_TEST(works(next));
}

BOOST_AUTO_TEST_CASE(places_are_not_lost_with_connections) {
    Database database{test_database().as_manage(), 2, {.wait = 60s, .limit = 60s}};
    for (int round = 0; round < 7; ++round) {
        Lease one{database}, other{database};
        BOOST_TEST((works(one) && works(other)));
        one.discard();
        if (round % 2 == 0) other.discard();
    }
}
} // namespace
} // namespace usershell::store
