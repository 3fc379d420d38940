#include "manage/sign_in/password_permits.hpp"

#include "base/error.hpp"
#include "crypto/token.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace usershell::manage {
namespace {

/// Two permits for anybody, and two kept ones.
struct Permits {
    /// Is there one? It is held from then on.
    bool takes(const std::optional<UserId>& proven = {}) {
        try {
            held.push_back(std::make_unique<Held>(permits, proven));
            return true;
        } catch (const Refusal& refusal) {
            BOOST_TEST((refusal.code() == ErrorCode::unavailable));
            BOOST_TEST(refusal.retry_after().has_value());
            return false;
        }
    }
    static UserId somebody() { return crypto::random_id<UserId>(); }

    struct Held {
        Held(PasswordPermits& from, const std::optional<UserId>& proven)
            : permit{from.take(proven)} {}
        PasswordPermits::Permit permit;
    };
    PasswordPermits permits{{1, 8192}, ""};
    std::vector<std::unique_ptr<Held>> held;
};

BOOST_FIXTURE_TEST_SUITE(password_permits, Permits)

BOOST_AUTO_TEST_CASE(strangers_take_no_kept_one) {
    BOOST_TEST(takes());
    BOOST_TEST(takes());
    BOOST_TEST(!takes());
    BOOST_TEST(takes(somebody()));
    BOOST_TEST(takes(somebody()));
    BOOST_TEST(!takes(somebody()));
}

BOOST_AUTO_TEST_CASE(a_user_takes_one_kept_one_and_is_then_as_anybody) {
    const UserId one = somebody();
    BOOST_TEST(takes(one));
    BOOST_TEST(takes(one));
    BOOST_TEST(takes(one));
    BOOST_TEST(!takes(one));
    BOOST_TEST(!takes());
    BOOST_TEST(takes(somebody()));
}

BOOST_AUTO_TEST_CASE(each_kind_is_given_back_where_it_was_taken) {
    const UserId one = somebody();
    for (int i = 0; i < 5; ++i) {
        BOOST_TEST(takes(one));
        BOOST_TEST(takes(one));
        held.pop_back();
        BOOST_TEST(takes());
        BOOST_TEST(takes());
        BOOST_TEST(!takes());
        held.clear();
    }
}

BOOST_AUTO_TEST_CASE(threads_take_no_more_than_there_are_and_give_all_back) {
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
    BOOST_TEST(takes());
    BOOST_TEST(takes());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace usershell::manage
