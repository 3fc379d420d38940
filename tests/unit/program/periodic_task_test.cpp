#include "program/program.hpp"
#include "tests/unit/pipeline/support.hpp"
using namespace usershell::program;
using std::chrono::hours;
using std::chrono::milliseconds;
namespace {
struct Counter {
    int up() {
        const int now = ++count;
        count.notify_all();
        return now;
    }
    void wait_for(int wanted) const {
        for (int now = count; now < wanted; now = count) count.wait(now);
    }
    std::atomic<int> count = 0;
};

BOOST_AUTO_TEST_CASE(rounds_go_on_until_the_end) {
    Counter counter;
    {
        const PeriodicTask work{"work", [&] {
                                    counter.up();
                                    return milliseconds{0};
                                }};
        counter.wait_for(100);
    }
    const int ended = counter.count;
    BOOST_TEST(counter.up() == ended + 1); // the task has ended
}

// The last round pauses for an hour, and the end does not wait for that.
BOOST_AUTO_TEST_CASE(a_round_that_throws_is_logged_and_is_not_the_last) {
    const CapturedLog log;
    Counter counter;
    {
        const PeriodicTask work{"sweeping",
                                [&]() -> milliseconds {
                                    if (counter.up() < 3) throw Error{"no broom"};
                                    return hours{1};
                                },
                                milliseconds{0}};
        counter.wait_for(3);
    }
    BOOST_TEST(has(log.text(), "sweeping error=\"no broom\""), log.text());
}

BOOST_AUTO_TEST_CASE(the_round_under_way_is_finished) {
    Counter counter;
    std::atomic<bool> finished{false};
    {
        const PeriodicTask work{"work", [&]() -> milliseconds {
                                    counter.up();
                                    std::this_thread::sleep_for(milliseconds{20});
                                    finished = true;
                                    return hours{1};
                                }};
        counter.wait_for(1);
    }
    BOOST_TEST(finished);
}
} // namespace
