#include "runtime/blocking_pool.hpp"
#include "tests/unit/test.hpp"
#include <latch>
#include <poll.h>
namespace {
Task<> in_pool(BlockingPool& pool, std::function<void()> work, bool& refused) {
    const bool entered = co_await pool.try_enter();
    if (!entered) {
        refused = true;
        co_return;
    }
    work();
}
/// Starts `work` in the pool, if it has room.
bool take(BlockingPool& pool, std::function<void()> work) {
    bool refused = false;
    start(in_pool(pool, std::move(work), refused));
    return !refused;
}
bool readable(int fd, int milliseconds) {
    pollfd watched{fd, POLLIN, 0};
    return ::poll(&watched, 1, milliseconds) == 1;
}
void wait_for_room(BlockingPool& pool) {
    while (!pool.has_room()) BOOST_REQUIRE(readable(pool.free_fd(), 20'000));
    pool.clear_free();
}
auto threads() { return std::distance(std::filesystem::directory_iterator{"/proc/self/task"}, {}); }

BOOST_AUTO_TEST_CASE(a_full_pool_takes_no_more_and_says_when_it_can) {
    std::latch gate{1};
    BlockingPool pool{{.name = "test", .max_threads = 2, .idle_timeout = 20s}};
    for (int i = 0; i < 2; ++i) {
        BOOST_TEST(pool.has_room());
        BOOST_TEST(take(pool, [&] { gate.wait(); }));
    }
    BOOST_TEST(!pool.has_room());
    BOOST_TEST(!take(pool, [] {}));
    BOOST_TEST(!readable(pool.free_fd(), 0));
    gate.count_down();
    wait_for_room(pool);
    BOOST_TEST(!readable(pool.free_fd(), 0));
    BOOST_TEST(take(pool, [] {}));
}

BOOST_AUTO_TEST_CASE(waiting_tasks_run_before_the_end) {
    std::latch gate{1};
    std::atomic<int> served{0};
    {
        BlockingPool pool{{.name = "test", .max_waiting = 3, .idle_timeout = 20s}};
        const auto work = [&] {
            gate.wait();
            ++served;
        };
        for (int i = 0; i < 4; ++i) BOOST_TEST(take(pool, work));
        BOOST_TEST(!take(pool, work));
        pool.stop();
        BOOST_TEST(!pool.wait_stopped(0ms));
        gate.count_down();
    }
    BOOST_TEST(served == 4);
}

BOOST_AUTO_TEST_CASE(idle_threads_end_but_for_one_which_has_the_given_stack) {
    const auto before = threads();
    std::latch gate{1};
    std::atomic<std::size_t> stack_bytes{0};
    BlockingPool pool{
        {.name = "test", .max_threads = 6, .stack_bytes = 700'000, .idle_timeout = 1ms}};
    for (int i = 0; i < 6; ++i) BOOST_TEST(take(pool, [&] { gate.wait(); }));
    BOOST_TEST(threads() == before + 6);
    gate.count_down();
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (threads() > before + 1 && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(1ms);
    BOOST_TEST(threads() == before + 1);
    BOOST_TEST(take(pool, [&] {
        pthread_attr_t attributes;
        ::pthread_getattr_np(::pthread_self(), &attributes);
        std::size_t bytes = 0;
        ::pthread_attr_getstacksize(&attributes, &bytes);
        ::pthread_attr_destroy(&attributes);
        stack_bytes = bytes;
    }));
    while (stack_bytes == 0 && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(1ms);
    BOOST_TEST((stack_bytes >= 700'000 && stack_bytes < 1'400'000)); // a sanitizer adds some
}

BOOST_AUTO_TEST_CASE(many_tasks_come_and_go) {
    std::atomic<int> served{0};
    int taken = 0;
    {
        BlockingPool pool{
            {.name = "test", .max_threads = 4, .max_waiting = 8, .idle_timeout = 1ms}};
        while (taken < 3000) {
            if (take(pool, [&] { ++served; })) ++taken;
            if (taken % 500 == 0) std::this_thread::sleep_for(2ms); // lets threads end
        }
    }
    BOOST_TEST(served == taken);
}

Task<> in_lane(BlockingPool& pool, std::string lane, std::function<void(bool)> work) {
    co_await pool.try_enter();
    const BlockingPool::LanePermit permit = co_await pool.enter_lane(std::move(lane));
    work(bool{permit});
}

BOOST_AUTO_TEST_CASE(a_lane_takes_its_share_of_the_threads_and_its_tasks_wait_without_one) {
    std::latch gate{1};
    std::latch holding{2};
    std::mutex mutex;
    std::string served;
    {
        BlockingPool pool{{.name = "test",
                           .max_threads = 4,
                           .max_waiting = 3,
                           .max_in_lane = 2,
                           .idle_timeout = 20s}};
        for (int i = 0; i < 2; ++i)
            start(in_lane(pool, "many", [&](bool) {
                holding.count_down();
                gate.wait();
            }));
        holding.wait();
        for (int i = 0; i < 4; ++i) {
            start(in_lane(pool, "many", [&](bool has_permit) {
                const std::scoped_lock lock{mutex};
                served += has_permit ? '+' : '-';
            }));
            if (i == 3) break;
            while (!pool.waiting_since()) std::this_thread::yield();
            std::latch done{1};
            start(in_lane(pool, "few", [&](bool) { done.count_down(); }));
            done.wait(); // while the lane is full
        }
        while (true) { // there is no room in the line for one of the four
            const std::scoped_lock lock{mutex};
            if (served == "-") break;
        }
        gate.count_down();
    }
    BOOST_TEST(served == "-+++");
}

BOOST_AUTO_TEST_CASE(those_who_have_waited_too_long_are_given_up_and_no_other) {
    std::latch gate{1};
    std::atomic<int> served{0};
    std::atomic<int> given_up{0};
    {
        BlockingPool pool{
            {.name = "test", .max_waiting = 3, .max_in_lane = 1, .idle_timeout = 20s}};
        start(in_lane(pool, "", [&](bool) { gate.wait(); }));
        const auto waits = [&]() -> Task<> {
            const bool entered = co_await pool.try_enter();
            ++(entered ? served : given_up);
        };
        BOOST_TEST(!pool.waiting_since());
        start(waits());
        const auto first = pool.waiting_since();
        BOOST_REQUIRE(first.has_value());
        pool.give_up(*first);
        BOOST_TEST(given_up == 0);
        while (BlockingPool::Clock::now() == *first) std::this_thread::yield();
        const auto between = BlockingPool::Clock::now();
        while (BlockingPool::Clock::now() == between) std::this_thread::yield();
        start(waits());
        pool.give_up(between);
        BOOST_TEST((given_up == 1 && *pool.waiting_since() > between));
        gate.count_down();
    }
    BOOST_TEST((given_up == 1 && served == 1));
}
} // namespace
