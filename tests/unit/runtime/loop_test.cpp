// The event loop, its threads and signals.
#include "runtime/blocking_pool.hpp"
#include "runtime/call_memory.hpp"
#include "runtime/signals.hpp"
#include "tests/unit/run_on.hpp"
#include "tests/unit/test.hpp"
#include <ctime>
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
} // namespace
