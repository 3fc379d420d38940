#include "fcgi/thread_pool.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <latch>
#include <set>
#include <thread>

#include <fcntl.h>
#include <poll.h>

using namespace usershell;
using namespace usershell::fcgi;
using namespace std::chrono_literals;

namespace {

ThreadPoolOptions options(std::size_t max_threads, std::size_t max_waiting = 0,
                          std::chrono::milliseconds idle_timeout = 20s) {
    return {"test", max_threads, max_waiting, 700'000, idle_timeout};
}

bool submit_one(ThreadPool& pool) {
    Descriptor connection{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    const bool taken = pool.submit(connection);
    BOOST_TEST(static_cast<bool>(connection) != taken);
    return taken;
}

bool readable(int fd, int milliseconds) {
    pollfd watched{fd, POLLIN, 0};
    return ::poll(&watched, 1, milliseconds) == 1;
}

void wait_for_room(ThreadPool& pool) {
    while (!pool.has_room()) BOOST_REQUIRE(readable(pool.free_fd(), 20'000));
    pool.clear_free();
}

auto threads() { return std::distance(std::filesystem::directory_iterator{"/proc/self/task"}, {}); }

} // namespace

BOOST_AUTO_TEST_SUITE(thread_pool)

BOOST_AUTO_TEST_CASE(a_full_pool_takes_no_more_and_says_when_it_can) {
    std::latch gate{1};
    ThreadPool pool{options(2), [&](Descriptor) { gate.wait(); }};
    for (int i = 0; i < 2; ++i) {
        BOOST_TEST(pool.has_room());
        BOOST_TEST(submit_one(pool));
    }
    BOOST_TEST(!pool.has_room());
    BOOST_TEST(!submit_one(pool));
    BOOST_TEST(!readable(pool.free_fd(), 0));
    gate.count_down();
    wait_for_room(pool);
    BOOST_TEST(!readable(pool.free_fd(), 0));
    BOOST_TEST(submit_one(pool));
}

BOOST_AUTO_TEST_CASE(what_waits_is_served_before_the_end) {
    std::latch gate{1};
    std::atomic<int> served{0};
    {
        ThreadPool pool{options(1, 3), [&](Descriptor) {
                            gate.wait();
                            ++served;
                        }};
        for (int i = 0; i < 4; ++i) BOOST_TEST(submit_one(pool));
        BOOST_TEST(!submit_one(pool));
        pool.stop();
        BOOST_TEST(!pool.wait_stopped(0ms));
        gate.count_down();
    }
    BOOST_TEST(served == 4);
}

BOOST_AUTO_TEST_CASE(a_thread_is_used_again_and_has_the_stack_wanted) {
    std::set<std::thread::id> seen; // by one thread at a time
    std::size_t stack_bytes = 0;
    {
        ThreadPool pool{options(1), [&](Descriptor) {
                            seen.insert(std::this_thread::get_id());
                            pthread_attr_t attributes;
                            ::pthread_getattr_np(::pthread_self(), &attributes);
                            ::pthread_attr_getstacksize(&attributes, &stack_bytes);
                            ::pthread_attr_destroy(&attributes);
                        }};
        for (int i = 0; i < 50; ++i) {
            wait_for_room(pool);
            BOOST_TEST(submit_one(pool));
        }
    }
    BOOST_TEST(seen.size() == 1U);
    BOOST_TEST((stack_bytes >= 700'000 && stack_bytes < 1'400'000)); // a sanitizer adds some
}

BOOST_AUTO_TEST_CASE(threads_without_work_end_but_for_one) {
    const auto before = threads();
    std::latch gate{1};
    ThreadPool pool{options(6, 0, 1ms), [&](Descriptor) { gate.wait(); }};
    for (int i = 0; i < 6; ++i) BOOST_TEST(submit_one(pool));
    BOOST_TEST(threads() == before + 6);
    gate.count_down();
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (threads() > before + 1 && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(1ms);
    BOOST_TEST(threads() == before + 1);
    BOOST_TEST(submit_one(pool));
}

BOOST_AUTO_TEST_CASE(many_come_and_go) {
    std::atomic<int> served{0};
    int taken = 0;
    {
        ThreadPool pool{options(4, 8, 1ms), [&](Descriptor connection) {
                            if (connection) ++served;
                        }};
        while (taken < 3000) {
            if (submit_one(pool)) ++taken;
            if (taken % 500 == 0) std::this_thread::sleep_for(2ms); // lets threads end
        }
    }
    BOOST_TEST(served == taken);
}

BOOST_AUTO_TEST_SUITE_END()
