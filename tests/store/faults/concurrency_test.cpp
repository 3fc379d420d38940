// Rules under concurrent requests: caps, slots for calls.
#include "store/database/conninfo.hpp"
#include "store/store_fixture.hpp"
#include <barrier>
namespace usershell::store {
namespace {
constexpr int threads = 16;
constexpr int rounds = 50;
constexpr int attempts_each = 4;
constexpr int attempts = threads * attempts_each; ///< at once, a round
/// One connection a thread, kept for the whole test, which waits for a lock as long as it takes.
struct Crowd {
    explicit Crowd(const std::string& connection)
        : database{with_keywords(connection,
                                 {{"options", "-c lock_timeout=1min -c statement_timeout=1min"}}),
                   threads} {}
    /// Does `work` on every thread, all let go at the same time. Returns how many threw Refusal
    /// with `expected`; any other exception fails the test.
    int all_at_once(const UserId& user, ErrorCode expected,
                    const std::function<void(Lease&)>& work) {
        const SessionKeys session = session_of(user);
        std::atomic<int> refused = 0, failed = 0;
        std::barrier start{threads};
        std::vector<std::jthread> crowd;
        crowd.reserve(threads);
        const auto attempt = [&](Lease& lease) {
            try {
                work(lease);
            } catch (const Refusal& refusal) {
                ++(refusal.code() == expected ? refused : failed);
            } catch (const std::exception&) {
                ++failed;
            }
        };
        for (int i = 0; i < threads; ++i)
            crowd.emplace_back([&] {
                Lease lease{database};
                lease.present(session.token_hash);
                start.arrive_and_wait();
                for (int n = 0; n < attempts_each; ++n) attempt(lease);
            });
        crowd.clear();
        BOOST_TEST(failed == 0);
        return refused;
    }
    Database database;
};
/// Of many who add at once, so many as there is room for succeed, and all others are refused.
/// `add(lease, user, number)`, `there(user)` looks at what is there in the end.
void only_fills(int room, const auto& add, const auto& there) {
    Crowd crowd{test_database().as_manage()};
    for (int round = 0; round < rounds; ++round) {
        ProviderOwner user;
        std::atomic<int> number = 0;
        const int refused = crowd.all_at_once(user.owner, ErrorCode::cap_reached,
                                              [&](Lease& lease) { add(lease, user, ++number); });
        BOOST_TEST(refused == attempts - room);
        there(user);
    }
}

BOOST_AUTO_TEST_CASE(exactly_ten_providers) {
    const auto add = [](Lease& lease, const ProviderOwner& user, int) {
        create_provider(lease, user.owner, crypto::random_id<ProviderId>(), some_fields(),
                        some_key());
    };
    only_fills(rules::max_providers - 1, add, [](ProviderOwner& user) { // they have one
        BOOST_TEST(list_providers(user.lease, user.owner).size() == rules::max_providers);
    });
}

BOOST_AUTO_TEST_CASE(exactly_twenty_models_in_an_order_without_gaps) {
    const auto add = [](Lease& lease, const ProviderOwner& user, int number) {
        const std::string id = "model-" + std::to_string(number);
        add_model(lease, user.owner, user.provider, {id, id, "code"});
    };
    only_fills(rules::max_models, add, [](ProviderOwner& user) {
        const auto models = user.now().models;
        BOOST_TEST(models.size() == rules::max_models);
        BOOST_TEST(models.back().position == rules::max_models);
    });
}

BOOST_AUTO_TEST_CASE(exactly_ten_accounts_with_priorities_of_their_own) {
    const auto add = [](Lease& lease, const ProviderOwner& user, int) {
        add_account(lease, user.owner, user.provider, {crypto::random_id<AccountId>(), "k", {}},
                    some_key());
    };
    only_fills(rules::max_accounts, add, [](ProviderOwner& user) {
        const auto accounts = user.now().accounts;
        BOOST_TEST(accounts.size() == rules::max_accounts);
        BOOST_TEST(accounts.back().priority == rules::max_accounts);
    });
}

BOOST_FIXTURE_TEST_CASE(one_of_many_adds_the_same_model, ProviderOwner) {
    const auto add = [&](Lease& its) {
        store::add_model(its, owner, provider, {"m", "x", "code"});
    };
    Crowd crowd{test_database().as_manage()};
    BOOST_TEST(crowd.all_at_once(owner, ErrorCode::conflict, add) == attempts - 1);
}

BOOST_AUTO_TEST_CASE(additions_and_the_end_of_their_provider_make_no_orphan) {
    Crowd crowd{test_database().as_manage()};
    for (int round = 0; round < rounds; ++round) {
        ProviderOwner user;
        std::atomic<int> number = 0;
        crowd.all_at_once(user.owner, ErrorCode::not_found, [&](Lease& lease) {
            const int n = ++number;
            if (n == threads) delete_provider(lease, user.owner, user.provider);
            if (n <= rules::max_models && n != threads)
                add_model(lease, user.owner, user.provider, {std::to_string(n), "x", "code"});
        });
        BOOST_TEST(rows_in("models", user.owner) == 0);
    }
}

BOOST_AUTO_TEST_CASE(exactly_eight_places_from_the_first_moment_on) {
    Crowd crowd{test_database().as_opener()};
    for (int round = 0; round < rounds; ++round) {
        const TestUser user = add_user();
        const std::string token = session_of(user.id).calls_token_hash;
        std::atomic<int> taken = 0;
        crowd.all_at_once(user.id, ErrorCode::not_found, [&](Lease& lease) {
            if (begin_call(lease, token)) ++taken;
        });
        BOOST_TEST(taken == rules::max_calls);
    }
}

BOOST_AUTO_TEST_CASE(never_more_than_eight_hold_a_place_while_they_come_and_go) {
    Crowd crowd{test_database().as_opener()}, ending{test_database().as_execute()};
    const TestUser user = add_user();
    const std::string token = session_of(user.id).calls_token_hash;
    std::atomic<int> inside = 0, calls = 0, too_many = 0;
    crowd.all_at_once(user.id, ErrorCode::not_found, [&](Lease& lease) {
        for (int n = 0; n < 10; ++n)
            if (const auto call = begin_call(lease, token)) {
                ++calls;
                if (++inside > rules::max_calls) ++too_many;
                --inside;
                Lease executing{ending.database};
                end_calls(executing, {{*call}});
            }
    });
    BOOST_TEST((calls > 0 && too_many == 0));
    Executing executing{user.id};
    for (int i = 1; i < rules::max_calls; ++i)
        BOOST_TEST(begin_call(*executing.opening, token).has_value());
}

BOOST_AUTO_TEST_CASE(findings_of_calls_that_end_together_do_not_get_in_each_others_way) {
    Crowd crowd{test_database().as_opener()}, ending{test_database().as_execute()};
    ProviderOwner user;
    for (const char* name : {"a", "b", "c"}) user.add_account(name);
    Executing executing{user.owner};
    const CallProvider call = executing.load(user.provider);
    std::atomic<int> number = 0;
    const int refused = crowd.all_at_once(user.owner, ErrorCode::unavailable, [&](Lease& lease) {
        HealthReport report = shown_of_every_key(call, Health::unhealthy, "x");
        std::rotate(report.keys.begin(), report.keys.begin() + number++ % 4, report.keys.end());
        if (const auto another = begin_call(lease, executing.token)) {
            Lease reporting{ending.database};
            end_calls(reporting, {{*another, {report}}});
        }
    });
    BOOST_TEST(refused == 0);
}

BOOST_AUTO_TEST_CASE(sessions_stay_at_their_cap) {
    const TestUser user = add_user();
    Crowd crowd{test_database().as_auth()};
    crowd.all_at_once(user.id, ErrorCode::not_signed_in,
                      [&](Lease& lease) { start_session(lease, proven(user.id), some_session()); });
    BOOST_TEST(rows_in("sessions", user.id) == std::size_t{rules::max_sessions});
}

BOOST_AUTO_TEST_CASE(a_sign_in_gives_one_session) {
    const TestUser user = add_user();
    Crowd crowd{test_database().as_auth()};
    for (int round = 0; round < rounds; ++round) {
        const SignIn sign_in = proven(user.id);
        const int refused = crowd.all_at_once(user.id, ErrorCode::not_signed_in, [&](Lease& lease) {
            start_session(lease, sign_in, some_session());
        });
        BOOST_TEST(refused == attempts - 1);
    }
}
} // namespace
} // namespace usershell::store
