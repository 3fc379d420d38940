#include "fcgi/thread_pool.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <memory>
#include <system_error>

#include <sys/eventfd.h>

namespace usershell::fcgi {

// How work is handed over. Each idle thread waits on a condition variable of its own, in a stack:
// the one that became idle last is woken first, since its stack and caches are warm, and those at
// the bottom stay idle for long enough to end. A connection is put into the very thread that is
// woken, so that no other can take it in between and has_room() stays true for its caller.
//
// How threads end. A thread cannot join itself, so it leaves its handle in ended_, and the acceptor
// joins it at the next submit(). One thread always stays, or the pool would make a thread for each
// of the rare requests of a quiet night.

namespace {

/// Attributes of a thread with a stack of its own size, in whole pages.
class ThreadAttributes {
public:
    explicit ThreadAttributes(std::size_t stack_bytes) {
        ::pthread_attr_init(&attributes_);
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        const auto minimum = static_cast<std::size_t>(PTHREAD_STACK_MIN);
        const std::size_t bytes = std::max(stack_bytes, minimum);
        ::pthread_attr_setstacksize(&attributes_, (bytes + page - 1) / page * page);
    }
    ~ThreadAttributes() { ::pthread_attr_destroy(&attributes_); }
    ThreadAttributes(const ThreadAttributes&) = delete;
    ThreadAttributes& operator=(const ThreadAttributes&) = delete;

    const pthread_attr_t* get() const { return &attributes_; }

private:
    pthread_attr_t attributes_{};
};

} // namespace

struct ThreadPool::Start {
    ThreadPool* pool;
    Descriptor connection;
};

ThreadPool::ThreadPool(ThreadPoolOptions options, Work work)
    : options_{std::move(options)},
      work_{std::move(work)},
      free_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (!free_) throw std::system_error{errno, std::generic_category(), "eventfd"};
}

ThreadPool::~ThreadPool() {
    stop();
    while (!wait_stopped(std::chrono::hours{1})) {
    }
}

bool ThreadPool::has_room() {
    const std::scoped_lock lock{mutex_};
    const bool room =
        !idle_.empty() || alive_ < options_.max_threads || waiting_.size() < options_.max_waiting;
    free_wanted_ = !room;
    return room;
}

bool ThreadPool::submit(Descriptor& connection) {
    std::unique_lock lock{mutex_};
    join_ended(lock);
    if (!idle_.empty()) {
        IdleThread* thread = idle_.back();
        idle_.pop_back();
        thread->connection = std::move(connection);
        thread->wake.notify_one();
        return true;
    }
    if (alive_ < options_.max_threads && make_thread(connection)) return true;
    if (alive_ == 0 || waiting_.size() >= options_.max_waiting) return false;
    waiting_.push_back(std::move(connection));
    return true;
}

void ThreadPool::clear_free() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t read = ::read(free_.get(), &count, sizeof(count));
}

void ThreadPool::stop() {
    const std::scoped_lock lock{mutex_};
    stopping_ = true;
    for (IdleThread* thread : idle_) thread->wake.notify_one();
}

bool ThreadPool::wait_stopped(std::chrono::milliseconds timeout) {
    std::unique_lock lock{mutex_};
    const bool stopped = ended_changed_.wait_for(lock, timeout, [&] { return alive_ == 0; });
    join_ended(lock);
    return stopped;
}

bool ThreadPool::make_thread(Descriptor& connection) {
    const ThreadAttributes attributes{options_.stack_bytes};
    auto start = std::make_unique<Start>(Start{this, std::move(connection)});
    pthread_t thread{};
    if (::pthread_create(&thread, attributes.get(), thread_main, start.get()) != 0) {
        connection = std::move(start->connection);
        return false;
    }
    ::pthread_setname_np(thread, options_.name.c_str());
    static_cast<void>(start.release()); // the thread's own now
    ++alive_;
    return true;
}

/// Joins without the lock, which an ending thread may still hold.
void ThreadPool::join_ended(std::unique_lock<std::mutex>& lock) {
    const std::vector<pthread_t> ended = std::exchange(ended_, {});
    lock.unlock();
    for (const pthread_t thread : ended) ::pthread_join(thread, nullptr);
    lock.lock();
}

void* ThreadPool::thread_main(void* argument) {
    const std::unique_ptr<Start> start{static_cast<Start*>(argument)};
    start->pool->run(std::move(start->connection));
    return nullptr;
}

void ThreadPool::run(Descriptor connection) {
    while (connection) {
        work_(std::move(connection));
        connection = next();
    }
}

/// The next connection to serve; none when the thread is to end, as it is counted already then.
Descriptor ThreadPool::next() {
    std::unique_lock lock{mutex_};
    if (free_wanted_) {
        free_wanted_ = false;
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t written = ::write(free_.get(), &one, sizeof(one));
    }
    if (!waiting_.empty()) {
        Descriptor connection = std::move(waiting_.front());
        waiting_.pop_front();
        return connection;
    }
    Descriptor connection = wait_for_connection(lock);
    if (!connection) {
        ended_.push_back(::pthread_self());
        --alive_;
        ended_changed_.notify_one();
    }
    return connection;
}

Descriptor ThreadPool::wait_for_connection(std::unique_lock<std::mutex>& lock) {
    IdleThread me;
    idle_.push_back(&me);
    while (!stopping_ && !me.connection) {
        const auto woken = me.wake.wait_for(lock, options_.idle_timeout);
        if (woken == std::cv_status::timeout && !me.connection && alive_ > 1) break;
    }
    if (!me.connection) std::erase(idle_, &me);
    return std::move(me.connection);
}

} // namespace usershell::fcgi
