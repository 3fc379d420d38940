#include "fcgi/thread_pool.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <future>
#include <set>
#include <thread>

#include <fcntl.h>
#include <poll.h>

using namespace usershell;
using namespace usershell::fcgi;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t stack = 512UL * 1024;

Descriptor some_descriptor() { return Descriptor{::open("/dev/null", O_RDONLY | O_CLOEXEC)}; }

bool submit_one(ThreadPool& pool) {
    Descriptor connection = some_descriptor();
    return pool.submit(connection);
}

bool readable(int fd, int milliseconds) {
    pollfd watched{fd, POLLIN, 0};
    return ::poll(&watched, 1, milliseconds) == 1;
}

} // namespace

BOOST_AUTO_TEST_SUITE(thread_pool)

BOOST_AUTO_TEST_CASE(a_full_pool_takes_no_more_and_says_when_it_can) {
    std::promise<void> gate;
    const std::shared_future<void> open = gate.get_future().share();
    ThreadPool pool{{"test", 2, 0, stack, 10s}, [open](Descriptor) { open.wait(); }};
    BOOST_TEST(pool.has_room());
    BOOST_TEST(submit_one(pool));
    BOOST_TEST(pool.has_room());
    BOOST_TEST(submit_one(pool));
    BOOST_TEST(!pool.has_room());
    Descriptor refused = some_descriptor();
    BOOST_TEST(!pool.submit(refused));
    BOOST_TEST(static_cast<bool>(refused));
    BOOST_TEST(!readable(pool.free_fd(), 0));
    gate.set_value();
    BOOST_TEST(readable(pool.free_fd(), 20'000));
    pool.clear_free();
    BOOST_TEST(!readable(pool.free_fd(), 0));
    BOOST_TEST(pool.has_room());
    BOOST_TEST(pool.submit(refused));
}

BOOST_AUTO_TEST_CASE(those_who_may_wait_are_served_in_the_end) {
    std::promise<void> gate;
    const std::shared_future<void> open = gate.get_future().share();
    std::atomic<int> served{0};
    {
        ThreadPool pool{{"test", 1, 3, stack, 10s}, [&](Descriptor) {
                            open.wait();
                            ++served;
                        }};
        for (int i = 0; i < 4; ++i) BOOST_TEST(submit_one(pool));
        BOOST_TEST(!submit_one(pool));
        pool.stop();
        BOOST_TEST(!pool.wait_stopped(0ms));
        gate.set_value();
        while (!pool.wait_stopped(20s)) {
        }
    }
    BOOST_TEST(served == 4);
}

BOOST_AUTO_TEST_CASE(a_thread_is_used_again) {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    ThreadPool pool{{"test", 1, 0, stack, 20s}, [&](Descriptor) {
                        const std::lock_guard lock{mutex};
                        seen.insert(std::this_thread::get_id());
                    }};
    for (int i = 0; i < 50; ++i) {
        while (!pool.has_room()) BOOST_REQUIRE(readable(pool.free_fd(), 20'000));
        pool.clear_free();
        BOOST_TEST(submit_one(pool));
    }
    while (!pool.has_room()) BOOST_REQUIRE(readable(pool.free_fd(), 20'000));
    const std::lock_guard lock{mutex};
    BOOST_TEST(seen.size() == 1U);
}

BOOST_AUTO_TEST_CASE(many_come_and_go) {
    std::atomic<int> served{0};
    int taken = 0;
    {
        ThreadPool pool{{"test", 4, 8, stack, 1ms}, [&](Descriptor connection) {
                            if (connection) ++served;
                        }};
        while (taken < 3000) {
            if (submit_one(pool)) ++taken;
            if (taken % 500 == 0) std::this_thread::sleep_for(2ms); // lets threads leave
        }
    }
    BOOST_TEST(served == taken);
}

BOOST_AUTO_TEST_SUITE_END()
