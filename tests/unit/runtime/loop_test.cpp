// The event loop, its threads and signals, and the pool of threads that may block.
#include "runtime/blocking_pool.hpp"
#include "runtime/call_memory.hpp"
#include "runtime/signals.hpp"
#include "tests/unit/run_on.hpp"
#include "tests/unit/test.hpp"
#include <ctime>
#include <latch>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
namespace {
using Work = std::function<void()>;
struct Alarm final : Loop::Timer {
    Alarm(Loop& loop, Work given) : Timer{loop}, work{std::move(given)} {}
    void on_due() override { work(); }
    Work work;
};
struct Chore final : Loop::Deferred {
    Chore(Loop& loop, Work given) : Deferred{loop}, work{std::move(given)} {}
    void on_deferred() override { work(); }
    Work work;
};
struct Reader final : Loop::Watcher {
    explicit Reader(Work given) : work{std::move(given)} {}
    void on_ready(int /*descriptor*/, std::uint32_t /*events*/) override { work(); }
    Work work;
};
struct UnsetEvent final : AsyncEvent {
    explicit UnsetEvent(Loop& loop) : AsyncEvent{loop} { reset(); }
    Task<> is_set_at_last() { co_await wait(); }
};
Task<> wait(Loop& loop, Loop::Clock::duration time) {
    UnsetEvent event{loop};
    Alarm alarm{loop, [&event] { event.set(); }};
    alarm.set(Loop::Clock::now() + time);
    co_await event.wait();
}
std::chrono::nanoseconds worked_so_far() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

BOOST_AUTO_TEST_CASE(what_a_step_makes_ready_runs_before_what_it_defers) {
    Loop loop;
    std::string order;
    UnsetEvent event{loop};
    Chore chore{loop, [&] { order += "deferred "; }};
    Alarm first{loop, [&] {
                    chore.defer();
                    chore.defer();
                    event.set();
                    order += "first ";
                }};
    Alarm second{loop, [&] { order += "second "; }};
    const auto steps = [&]() -> Task<> {
        const auto now = Loop::Clock::now();
        second.set(now + 1ms);
        first.set(now);
        co_await event.wait();
        order += "resumed ";
        co_await wait(loop, 2ms);
    };
    run_on(loop, steps());
    BOOST_TEST(order == "first resumed deferred second ");
}

// Both are ready in the same look at the descriptors; the first takes the second off.
BOOST_AUTO_TEST_CASE(what_is_forgotten_is_not_told_any_more) {
    Loop loop;
    const Descriptor ready[] = {Descriptor{eventfd(1, EFD_CLOEXEC)},
                                Descriptor{eventfd(1, EFD_CLOEXEC)}};
    int told = 0;
    UnsetEvent event{loop};
    Reader reader{[&] {
        ++told;
        for (const auto& descriptor : ready) loop.forget(descriptor.get());
        event.set();
    }};
    for (const auto& descriptor : ready) loop.watch(descriptor.get(), EPOLLIN, reader);
    run_on(loop, event.is_set_at_last());
    BOOST_TEST(told == 1);
}

// Keys are opened on some threads, and strangers' bytes are read on others.
BOOST_AUTO_TEST_CASE(a_task_moves_between_the_loop_and_threads) {
    Loop loop;
    const LoopThread running{loop};
    BlockingPool keys{loop, 1, "keys"};
    BlockingPool readers{loop, 1, "readers"};
    std::promise<std::string> went;
    const auto travel = [&]() -> Task<> {
        std::string way;
        const auto note = [&] {
            std::array<char, 16> name{};
            ::pthread_getname_np(::pthread_self(), name.data(), name.size());
            way += loop.is_here() ? "loop " : std::string{name.data()} + " ";
        };
        for (BlockingPool* each : {&keys, &readers, &readers, &keys}) {
            co_await each->enter();
            note();
        }
        co_await loop.enter();
        note();
        went.set_value(way);
    };
    start(travel());
    BOOST_TEST(went.get_future().get() == "keys readers readers keys loop ");
}

BOOST_AUTO_TEST_CASE(a_call_spends_its_requests_and_what_its_threads_work) {
    static std::chrono::nanoseconds passed;
    static std::chrono::nanoseconds worked; // as a thread's own clock would tell
    CallBudget budget{2, 100ns, [] { return passed; }, [] { return worked; }};
    const auto work = [&](std::chrono::nanoseconds time, std::chrono::nanoseconds waits) {
        const CallBudget::Step step{&budget};
        worked += time;
        passed += time + waits;
    };
    work(10ns, 41ns);
    worked += 1h; // for others
    passed += 1h;
    work(49ns, 1h);
    BOOST_TEST(!budget.is_spent());
    work(1ns, 0ns);
    BOOST_TEST(budget.is_spent());
    BOOST_TEST((budget.take_request() && budget.has_request()));
    BOOST_TEST((budget.take_request() && !budget.has_request() && !budget.take_request()));
    BOOST_TEST((CallBudget::thread_time() > 0ns && CallBudget::passing_time() > 0ns));
}

BOOST_AUTO_TEST_CASE(many_tasks_from_many_threads_all_arrive) {
    Loop loop;
    const LoopThread running{loop};
    BlockingPool threads{loop, 4, "test"};
    int arrived = 0; // on the loop alone
    std::promise<void> all;
    const auto travel = [&]() -> Task<> {
        for (int i = 0; i < 10; ++i) {
            co_await threads.enter();
            co_await loop.enter();
        }
        if (++arrived == 400) all.set_value();
    };
    std::vector<std::jthread> senders;
    senders.reserve(4);
    for (int i = 0; i < 4; ++i)
        senders.emplace_back([&] {
            for (int task = 0; task < 100; ++task) start(travel());
        });
    all.get_future().wait();
    senders.clear();
}

BOOST_AUTO_TEST_CASE(a_wake_up_without_a_task_is_answered_once) {
    Loop loop;
    loop.stop(); // wakes the loop, which then has ended already
    loop.run();
    const auto before = worked_so_far();
    run_on(loop, wait(loop, 200ms));
    BOOST_TEST((worked_so_far() - before < 20ms));
}

BOOST_AUTO_TEST_CASE(a_cancellation_reaches_its_listeners_once) {
    struct Listener final : CancellationToken::Listener {
        void on_cancelled() override { ++told; }
        int told = 0;
    };
    CancellationToken cancellation;
    Listener stays, leaves;
    cancellation.add(stays);
    cancellation.add(leaves);
    cancellation.remove(leaves);
    cancellation.cancel();
    cancellation.cancel();
    BOOST_TEST(cancellation.is_cancelled());
    BOOST_TEST((stays.told == 1 && leaves.told == 0));
}

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
