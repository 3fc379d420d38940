// Ends calls in the store. Calls that end while a statement is under way wait for the next one,
// which ends them together. With a thousand calls a second, a statement for each, its round trip
// and its commit were a tenth of all that the machine did. Any thread.
#pragma once

#include "runtime/blocking_pool.hpp"
#include "store/calls.hpp"

#include <coroutine>
#include <mutex>
#include <vector>

namespace usershell::execute {

class CallEndings {
    struct Awaiter {
        CallEndings& all;
        store::CallEnd end;
        std::coroutine_handle<> task{};

        bool await_ready() const { return false; }
        void await_suspend(std::coroutine_handle<> waiting);
        void await_resume() const {}
    };

public:
    /// Keeps references.
    CallEndings(store::Database& database, Loop& loop, BlockingPool& threads)
        : database_{database},
          loop_{loop},
          threads_{threads} {}

    /// `co_await endings.end(…)`: ends the call and goes on on the loop. A failure of the store is
    /// logged, and the call expires there.
    Awaiter end(store::CallEnd end) { return {*this, std::move(end)}; }
    /// The same at once, in the calling thread.
    void end_here(const std::vector<store::CallEnd>& ends);

private:
    Task<> work();
    bool goes_on();
    std::vector<Awaiter*> take();

    store::Database& database_;
    Loop& loop_;
    BlockingPool& threads_;
    std::mutex mutex_;
    std::vector<Awaiter*> waiting_;
    bool works_ = false; ///< work() is under way
};

} // namespace usershell::execute
