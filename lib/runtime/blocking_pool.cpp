#include "runtime/blocking_pool.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <memory>

#include <sys/eventfd.h>

namespace usershell {

// Each idle thread waits on a condition variable of its own, in a stack. The thread that became
// idle last is woken first, since its stack and caches are warm; those at the bottom stay idle for
// long enough to end. A task is given to the very thread that is woken, so that no other thread
// takes it and has_room() stays true for its caller. It is woken without the lock, for which it
// would wait again at once; so its condition variable outlives it.
//
// A thread cannot join itself. It leaves its handle in ended_, and the next submit() joins it.

namespace {

thread_local const BlockingPool* whose = nullptr; ///< the pool of this thread

/// Attributes of a thread with a stack of that size, in whole pages.
class ThreadAttributes {
public:
    explicit ThreadAttributes(std::size_t stack_bytes) {
        ::pthread_attr_init(&attributes_);
        if (stack_bytes == 0) return;
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

BlockingPool::BlockingPool(BlockingPoolOptions options)
    : options_{std::move(options)},
      free_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (!free_) throw SystemError{"eventfd"};
}

BlockingPool::BlockingPool(Loop& loop, std::size_t count, std::string name, std::size_t max_in_lane)
    : BlockingPool{{.name = std::move(name),
                    .max_threads = count,
                    .max_waiting = static_cast<std::size_t>(-1),
                    .max_in_lane = max_in_lane}} {
    loop_ = &loop;
    const std::scoped_lock lock{mutex_};
    while (alive_ < count)
        if (!make_thread({})) throw SystemError{"thread"};
}

BlockingPool::~BlockingPool() {
    stop();
    while (!wait_stopped(std::chrono::hours{1})) {
    }
}

bool BlockingPool::is_here() const { return whose == this; }

bool BlockingPool::has_room() {
    const std::scoped_lock lock{mutex_};
    const bool room = !idle_.empty() || alive_ < options_.max_threads;
    free_wanted_ = !room;
    return room;
}

bool BlockingPool::submit(Waiting task, std::size_t max_waiting) {
    std::unique_lock lock{mutex_};
    join_ended(lock);
    if (!idle_.empty()) {
        Thread* const thread = idle_.back();
        idle_.pop_back();
        thread->task = task.task;
        lock.unlock();
        thread->wake.notify_one();
        return true;
    }
    if (alive_ < options_.max_threads && make_thread(task.task)) return true;
    if (alive_ == 0 || waiting_.size() >= max_waiting) return false;
    waiting_.push_back(std::move(task));
    return true;
}

/// True: it waits. False: it has its permit, or, as `entered` says, can't wait.
bool BlockingPool::submit_to_lane(Waiting task) {
    const std::scoped_lock lock{mutex_};
    if (has_permit(task.lane)) {
        ++lanes_[task.lane];
        return false;
    }
    *task.entered = waiting_.size() < options_.max_waiting;
    if (!*task.entered) return false;
    waiting_.push_back(std::move(task));
    tell_owner();
    return true;
}

/// On a thread of this pool, which looks for a waiting task next.
void BlockingPool::leave_lane(const std::string& lane) {
    const std::scoped_lock lock{mutex_};
    const auto found = lanes_.find(lane);
    if (--found->second == 0) lanes_.erase(found);
}

/// With the lock.
bool BlockingPool::has_permit(const std::string& lane) const {
    const auto found = lanes_.find(lane);
    return options_.max_in_lane == 0 || found == lanes_.end() ||
           found->second < options_.max_in_lane;
}

/// The oldest that may go on; null: none. With the lock.
std::coroutine_handle<> BlockingPool::take_waiting() {
    const auto found = std::ranges::find_if(waiting_, [this](const Waiting& each) {
        return each.lane.empty() || has_permit(each.lane);
    });
    if (found == waiting_.end()) return {};
    if (!found->lane.empty()) ++lanes_[found->lane];
    const auto task = found->task;
    waiting_.erase(found);
    return task;
}

std::optional<BlockingPool::Clock::time_point> BlockingPool::waiting_since() {
    const std::scoped_lock lock{mutex_};
    if (waiting_.empty()) return std::nullopt;
    return waiting_.front().since;
}

void BlockingPool::give_up(Clock::time_point before) {
    std::vector<std::coroutine_handle<>> tasks;
    {
        const std::scoped_lock lock{mutex_};
        for (; !waiting_.empty() && waiting_.front().since < before; waiting_.pop_front()) {
            *waiting_.front().entered = false;
            tasks.push_back(waiting_.front().task);
        }
    }
    for (const auto task : tasks) task.resume();
}

/// Makes free_fd() readable.
void BlockingPool::tell_owner() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(free_.get(), &one, sizeof(one));
}

void BlockingPool::clear_free() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t read = ::read(free_.get(), &count, sizeof(count));
}

void BlockingPool::stop() {
    const std::scoped_lock lock{mutex_};
    stopping_ = true;
    for (Thread* thread : idle_) thread->wake.notify_one();
}

bool BlockingPool::wait_stopped(std::chrono::milliseconds timeout) {
    std::unique_lock lock{mutex_};
    const bool stopped = ended_changed_.wait_for(lock, timeout, [&] { return alive_ == 0; });
    join_ended(lock);
    return stopped;
}

/// With the lock.
bool BlockingPool::make_thread(std::coroutine_handle<> task) {
    if (unused_.empty()) unused_.push_back(&threads_.emplace_back(*this));
    Thread& made = *unused_.back();
    made.task = task;
    const ThreadAttributes attributes{options_.stack_bytes};
    pthread_t thread{};
    errno = ::pthread_create(&thread, attributes.get(), thread_main, &made);
    if (errno != 0) return false;
    ::pthread_setname_np(thread, options_.name.c_str());
    unused_.pop_back();
    ++alive_;
    return true;
}

/// Joins without the lock, which an ending thread may still hold.
void BlockingPool::join_ended(std::unique_lock<std::mutex>& lock) {
    if (ended_.empty()) return;
    const std::vector<pthread_t> ended = std::exchange(ended_, {});
    lock.unlock();
    for (const pthread_t thread : ended) ::pthread_join(thread, nullptr);
    lock.lock();
}

void* BlockingPool::thread_main(void* thread) {
    auto& me = *static_cast<Thread*>(thread);
    me.pool.run(me);
    return nullptr;
}

void BlockingPool::run(Thread& me) {
    whose = this;
    while (me.task || next(me)) std::exchange(me.task, nullptr).resume();
}

/// Takes the next task. False when the thread is to end, which no longer counts as alive then.
bool BlockingPool::next(Thread& me) {
    std::unique_lock lock{mutex_};
    me.task = take_waiting();
    if (!me.task) wait_for_task(lock, me);
    if (me.task) return true;
    ended_.push_back(::pthread_self());
    unused_.push_back(&me);
    --alive_;
    ended_changed_.notify_one();
    return false;
}

void BlockingPool::wait_for_task(std::unique_lock<std::mutex>& lock, Thread& me) {
    if (std::exchange(free_wanted_, false)) tell_owner();
    idle_.push_back(&me);
    while (!stopping_ && !me.task) {
        if (options_.idle_timeout == std::chrono::milliseconds{0})
            me.wake.wait(lock);
        else if (me.wake.wait_for(lock, options_.idle_timeout) == std::cv_status::timeout &&
                 !me.task && alive_ > 1)
            break;
    }
    if (!me.task) std::erase(idle_, &me);
}

LoopThread::LoopThread(Loop& loop) : loop_{loop}, thread_{[&loop] { loop.run(); }} {
    ::pthread_setname_np(thread_.native_handle(), "loop");
}

} // namespace usershell
