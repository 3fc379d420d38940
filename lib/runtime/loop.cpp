#include "runtime/loop.hpp"

#include "base/error.hpp"
#include "runtime/stall_watch.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>

#include <sys/epoll.h>
#include <sys/eventfd.h>

namespace usershell {

namespace {

// A turn waits for descriptors, calls the timers that are due and resumes the tasks that other
// threads have posted. Each of these calls is one step, in the order that the header says: tasks
// that it makes ready only enter `ready_`, and settle() resumes them after the call has returned.
//
// epoll may report a descriptor that was forgotten and closed earlier in the same turn, when a new
// descriptor may have its number already. Therefore each watch has a number of its own (`round`),
// which epoll gives back with the event; an event with an older number is dropped.

constexpr std::size_t max_events = 256; ///< taken before timers and posted tasks have their turn

} // namespace

void Loop::Timer::set(Time due) {
    clear();
    due = std::max(due, loop_.timers_taken_ + Clock::duration{1});
    loop_.timers_.emplace(due, this);
    due_ = due;
}

void Loop::Timer::clear() {
    if (due_) loop_.timers_.erase({*due_, this});
    due_.reset();
}

void Loop::Deferred::defer() {
    if (!std::exchange(waits_, true)) loop_.deferred_.push_back(this);
}

Loop::Deferred::~Deferred() {
    if (waits_) std::ranges::replace(loop_.deferred_, this, nullptr);
}

// Not inline: clang would keep the thread's id over a co_await that changes the thread.
bool Loop::is_here() const { return thread_.load() == std::this_thread::get_id(); }

Loop::Loop()
    : epoll_{::epoll_create1(EPOLL_CLOEXEC)},
      wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (!epoll_ || !wake_) throw SystemError{"event loop"};
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = static_cast<std::uint32_t>(wake_.get());
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) != 0)
        throw SystemError{"event loop"};
}

Loop::~Loop() = default;

void Loop::run() {
    thread_ = std::this_thread::get_id();
#ifdef USERSHELL_WATCH_LOOP
    stalls_ = std::make_unique<StallWatch>();
#endif
    while (!stopped_) {
        wait();
        take_timers();
        take_posted();
    }
    stopped_ = false;
    stalls_.reset();
    thread_ = std::thread::id{};
}

void Loop::stop() {
    stopped_ = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof(one));
}

void Loop::post(std::coroutine_handle<> task) {
    bool first = false;
    {
        const std::scoped_lock lock{mutex_};
        first = posted_.empty();
        posted_.push_back(task);
    }
    if (!first) return;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof(one));
}

void Loop::watch(int descriptor, std::uint32_t events, Watcher& watcher) {
    const auto place = static_cast<std::size_t>(descriptor);
    if (watched_.size() <= place) watched_.resize(place + 1);
    Watched& watched = watched_[place];
    const bool known = watched.watcher != nullptr;
    if (!known) watched.round = ++rounds_;
    watched.watcher = &watcher;
    epoll_event event{};
    event.events = events;
    event.data.u64 = std::uint64_t{watched.round} << 32U | static_cast<std::uint32_t>(descriptor);
    if (::epoll_ctl(epoll_.get(), known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event) != 0)
        throw SystemError{"epoll_ctl"};
}

void Loop::forget(int descriptor) {
    const auto place = static_cast<std::size_t>(descriptor);
    if (place >= watched_.size() || !watched_[place].watcher) return;
    watched_[place].watcher = nullptr;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
}

template <class Happening>
void Loop::step(Happening happening) {
    if (stalls_) stalls_->begin();
    happening();
    settle();
    if (stalls_) stalls_->end();
}

void Loop::wait() {
    std::array<epoll_event, max_events> events; // NOLINT(*-member-init): epoll_wait fills it
    std::chrono::milliseconds time{-1};
    if (!timers_.empty()) {
        const auto left = std::max(timers_.begin()->first - Clock::now(), Clock::duration{0});
        time = std::chrono::ceil<std::chrono::milliseconds>(left);
    }
    const int count = ::epoll_wait(epoll_.get(), events.data(), max_events,
                                   static_cast<int>(std::min<std::int64_t>(time.count(), INT_MAX)));
    for (int i = 0; i < count; ++i) {
        const auto& event = events[static_cast<std::size_t>(i)];
        take_event(static_cast<int>(event.data.u64 & 0xffffffffU),
                   static_cast<std::uint32_t>(event.data.u64 >> 32U), event.events);
    }
}

void Loop::take_event(int descriptor, std::uint32_t round, std::uint32_t events) {
    if (descriptor == wake_.get()) return clear_wake(); // what was posted is looked at in any case
    const Watched watched = watched_[static_cast<std::size_t>(descriptor)];
    if (!watched.watcher || watched.round != round) return; // forgotten since
    step([&] { watched.watcher->on_ready(descriptor, events); });
}

// Here and not where tasks are taken: they may be taken before their post() has written.
void Loop::clear_wake() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t read = ::read(wake_.get(), &count, sizeof(count));
}

void Loop::take_timers() {
    if (timers_.empty()) return;
    timers_taken_ = Clock::now();
    while (!timers_.empty() && timers_.begin()->first <= timers_taken_) {
        Timer& timer = *timers_.begin()->second;
        timer.clear();
        step([&] { timer.on_due(); });
    }
}

void Loop::take_posted() {
    {
        const std::scoped_lock lock{mutex_};
        if (posted_.empty()) return;
        taken_.swap(posted_);
    }
    for (const auto task : taken_) step([&] { task.resume(); });
    taken_.clear();
}

void Loop::settle() {
    while (!ready_.empty() || !deferred_.empty()) {
        running_.swap(ready_);
        for (const auto task : running_) task.resume();
        running_.clear();
        if (!ready_.empty()) continue;
        // NOLINTNEXTLINE(modernize-loop-convert): the list may grow
        for (std::size_t i = 0; i < deferred_.size(); ++i) {
            Deferred* const deferred = deferred_[i];
            if (!deferred) continue;
            deferred->waits_ = false;
            deferred->on_deferred();
        }
        deferred_.clear();
    }
}

} // namespace usershell
