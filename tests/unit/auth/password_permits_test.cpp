#include "auth/services.hpp"
#include "crypto/token.hpp"
#include "tests/unit/test.hpp"
namespace usershell::auth {
namespace {
struct Permits {
    using Users = std::vector<std::optional<UserId>>;
    /// One for each of them, in turn: "+" where there was one, which is held from then on.
    std::string takes(const Users& users) {
        std::string told;
        for (const auto& user : users) try {
                held.push_back(std::make_unique<Held>(permits, user));
                told += '+';
            } catch (const Refusal& refusal) {
                BOOST_TEST((refusal.code() == ErrorCode::unavailable));
                BOOST_TEST(refusal.retry_after().has_value());
                told += '-';
            }
        return told;
    }
    static UserId somebody() { return crypto::random_id<UserId>(); }
    struct Held {
        Held(PasswordPermits& from, const std::optional<UserId>& proven)
            : permit{from.take(proven)} {}
        PasswordPermits::Permit permit;
    };
    const std::optional<UserId> stranger{};
    PasswordPermits permits{{1, 8192}, {}};
    std::vector<std::unique_ptr<Held>> held;
};

BOOST_FIXTURE_TEST_CASE(strangers_take_no_kept_one, Permits) {
    BOOST_TEST(takes({stranger, stranger, stranger}) == "++-");
    BOOST_TEST(takes({somebody(), somebody(), somebody()}) == "++-");
}

BOOST_FIXTURE_TEST_CASE(a_user_takes_one_kept_one_and_is_then_as_anybody, Permits) {
    const UserId one = somebody();
    BOOST_TEST(takes({one, one, one, one, stranger, somebody()}) == "+++--+");
}

BOOST_FIXTURE_TEST_CASE(each_kind_is_given_back_where_it_was_taken, Permits) {
    const UserId one = somebody();
    for (int i = 0; i < 5; ++i) {
        BOOST_TEST(takes({one, one}) == "++");
        held.pop_back();
        BOOST_TEST(takes({stranger, stranger, stranger}) == "++-");
        held.clear();
    }
}

BOOST_FIXTURE_TEST_CASE(threads_take_no_more_than_there_are_and_give_all_back, Permits) {
    std::atomic<int> inside{0};
    std::atomic<bool> too_many{false};
    {
        std::array<std::jthread, 8> threads;
        for (auto& thread : threads)
            thread = std::jthread{[&] {
                for (int turn = 0; turn < 100; ++turn) try {
                        const auto permit = permits.take(std::nullopt);
                        if (++inside > 2) too_many = true;
                        std::this_thread::yield();
                        --inside;
                    } catch (const Refusal&) {
                        std::this_thread::yield();
                    }
            }};
    }
    BOOST_TEST(!too_many);
    BOOST_TEST(takes({stranger, stranger}) == "++");
}
} // namespace
} // namespace usershell::auth
