#include "app/periodic_task.hpp"

#include "base/error.hpp"
#include "tests/unit/app/support.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>

using namespace usershell;
using namespace usershell::app;
using namespace usershell::test;
using std::chrono::hours;
using std::chrono::milliseconds;

namespace {

/// Counts what another thread does, and waits for it.
class Counter {
public:
    int count() {
        const std::scoped_lock lock{mutex_};
        changed_.notify_all();
        return ++count_;
    }
    void wait_for(int wanted) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return count_ >= wanted; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int count_ = 0;
};

} // namespace

BOOST_AUTO_TEST_SUITE(rounds)

BOOST_AUTO_TEST_CASE(rounds_go_on_until_the_end) {
    Counter counter;
    {
        const PeriodicTask work{"work", [&] {
                                    counter.count();
                                    return milliseconds{0};
                                }};
        counter.wait_for(100);
    }
    const int ended = counter.count();
    BOOST_TEST(counter.count() == ended + 1); // the task has ended
}

BOOST_AUTO_TEST_CASE(a_round_that_throws_is_logged_and_is_not_the_last) {
    const CapturedLog log;
    Counter counter;
    {
        const PeriodicTask work{"sweeping",
                                [&]() -> milliseconds {
                                    if (counter.count() < 3) throw Error{"no broom"};
                                    return hours{1};
                                },
                                milliseconds{0}};
        counter.wait_for(3);
    }
    BOOST_TEST(log.text().find("sweeping error=\"no broom\"") != std::string::npos, log.text());
}

BOOST_AUTO_TEST_CASE(a_long_pause_does_not_keep_the_end_waiting) {
    Counter counter;
    const auto begun = std::chrono::steady_clock::now();
    {
        const PeriodicTask work{"work", [&]() -> milliseconds {
                                    counter.count();
                                    return hours{1};
                                }};
        counter.wait_for(1);
    }
    BOOST_TEST((std::chrono::steady_clock::now() - begun < hours{1}));
}

BOOST_AUTO_TEST_CASE(the_round_under_way_is_finished) {
    Counter counter;
    std::atomic<bool> finished{false};
    {
        const PeriodicTask work{"work", [&]() -> milliseconds {
                                    counter.count();
                                    std::this_thread::sleep_for(milliseconds{20});
                                    finished = true;
                                    return hours{1};
                                }};
        counter.wait_for(1);
    }
    BOOST_TEST(finished);
}

BOOST_AUTO_TEST_SUITE_END()
