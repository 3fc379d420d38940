#include "base/loop/blocking_pool.hpp"

#include <pthread.h>

namespace usershell {
namespace {

thread_local const BlockingPool* whose = nullptr; ///< this thread is one of them

} // namespace

BlockingPool::BlockingPool(Loop& loop, std::size_t count, const std::string& name) : loop_{loop} {
    for (std::size_t i = 0; i < count; ++i) {
        threads_.emplace_back([this] { run(); });
        ::pthread_setname_np(threads_.back().native_handle(), name.c_str());
    }
}

BlockingPool::~BlockingPool() {
    const std::scoped_lock lock{mutex_};
    stopping_ = true;
    posted_.notify_all();
}

bool BlockingPool::is_here() const { return whose == this; }

void BlockingPool::post(std::coroutine_handle<> task) {
    const std::scoped_lock lock{mutex_};
    waiting_.push_back(task);
    posted_.notify_one();
}

void BlockingPool::run() {
    whose = this;
    std::unique_lock lock{mutex_};
    for (;;) {
        posted_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        const auto task = waiting_.front();
        waiting_.pop_front();
        lock.unlock();
        task.resume();
        lock.lock();
    }
}

LoopThread::LoopThread(Loop& loop) : loop_{loop}, thread_{[&loop] { loop.run(); }} {
    ::pthread_setname_np(thread_.native_handle(), "loop");
}

} // namespace usershell
