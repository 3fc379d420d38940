#include "crypto/semaphore.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace usershell::crypto {
namespace {

/// The most threads that were ever past the semaphore together.
int crowd(unsigned places, int visitors) {
    Semaphore semaphore{places};
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<std::size_t>(visitors));
    for (int i = 0; i < visitors; ++i)
        threads.emplace_back([&] {
            for (int visit = 0; visit < 20; ++visit) {
                const Semaphore::Place place{semaphore};
                const int now = ++inside;
                for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
                }
                std::this_thread::yield(); // others have their chance meanwhile
                --inside;
            }
        });
    threads.clear();
    return most;
}

BOOST_AUTO_TEST_SUITE(semaphore)

BOOST_AUTO_TEST_CASE(never_lets_too_many_through) {
    BOOST_TEST(crowd(1, 8) == 1);
    BOOST_TEST(crowd(3, 8) <= 3);
}

BOOST_AUTO_TEST_CASE(lets_as_many_through_as_it_has_places) {
    Semaphore semaphore{3};
    const Semaphore::Place first{semaphore};
    const Semaphore::Place second{semaphore};
    const Semaphore::Place third{semaphore}; // would wait for ever if the places were fewer
}

BOOST_AUTO_TEST_CASE(needs_a_place) { BOOST_CHECK_THROW(Semaphore{0}, std::invalid_argument); }

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace usershell::crypto
