// Ends calls in the store: those that end while a statement is under way wait for the next, which
// ends them together. A call that begins and ends costs the store two statements, and with a
// thousand a second the second one, its round trip and its commit were a tenth of all that the
// machine did. Any thread.
#pragma once

#include "base/loop/blocking_pool.hpp"
#include "store/calls/execution.hpp"

#include <coroutine>
#include <mutex>
#include <vector>

namespace usershell::execute {

class CallEndings {
    struct Awaiter {
        CallEndings& all;
        store::PlainEnd end;
        bool has_ended = false;
        std::coroutine_handle<> task{};

        bool await_ready() const { return false; }
        void await_suspend(std::coroutine_handle<> waiting);
        bool await_resume() const { return has_ended; }
    };

public:
    /// Keeps references.
    CallEndings(store::Database& database, Loop& loop, BlockingPool& threads)
        : database_{database},
          loop_{loop},
          threads_{threads} {}

    /// `co_await endings.end(…)`: true when the call has ended; false when the store knows
    /// something else of the provider or its key, or can't be reached, so that store::end_call()
    /// is to be tried. Goes on on the loop.
    Awaiter end(store::PlainEnd end) { return {*this, std::move(end)}; }

private:
    Task<> work();
    bool goes_on();
    std::vector<Awaiter*> take();
    void end(const std::vector<Awaiter*>& batch);

    store::Database& database_;
    Loop& loop_;
    BlockingPool& threads_;
    std::mutex mutex_;
    std::vector<Awaiter*> waiting_;
    bool works_ = false; ///< work() is under way
};

} // namespace usershell::execute
