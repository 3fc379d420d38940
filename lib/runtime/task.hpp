// Task<T> is a coroutine: a function that waits without holding a thread. It begins when it is
// awaited, once, and gives its value or exception to the awaiting coroutine. start() begins a task
// that is not awaited.
//
// A task is never destroyed while it waits: each wait ends, by what is waited for, by a deadline or
// by the caller's cancellation. References that are its parameters must outlive the task. They do
// when the expression that makes the task awaits it. Locals live while the task waits: no lock,
// LogContext or Lease, which belong to a thread, may live across a co_await.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace usershell {

namespace detail {

/// Resumes the awaiting coroutine.
struct TaskEnd {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> task) const noexcept {
        return task.promise().awaiting;
    }
    void await_resume() const noexcept {}
};

struct TaskPromise {
    std::suspend_always initial_suspend() const noexcept { return {}; }
    TaskEnd final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { failure = std::current_exception(); }

    std::coroutine_handle<> awaiting = std::noop_coroutine();
    std::exception_ptr failure;
};

} // namespace detail

template <class Value = void>
class [[nodiscard]] Task {
public:
    struct promise_type : detail::TaskPromise {
        Task get_return_object() { return Task{Handle::from_promise(*this)}; }
        template <class Given>
        void return_value(Given&& given) {
            value.emplace(std::forward<Given>(given));
        }
        Value take() { return std::move(*value); }

        std::optional<Value> value;
    };
    using Handle = std::coroutine_handle<promise_type>;

    Task(Task&& other) noexcept : task_{std::exchange(other.task_, nullptr)} {}
    Task& operator=(Task&&) = delete;
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    ~Task() {
        if (task_) task_.destroy();
    }

    auto operator co_await() const noexcept {
        struct Awaiter {
            Handle task;
            bool await_ready() const noexcept { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) const noexcept {
                task.promise().awaiting = awaiting;
                return task;
            }
            Value await_resume() const {
                auto& promise = task.promise();
                if (promise.failure) std::rethrow_exception(promise.failure);
                return promise.take();
            }
        };
        return Awaiter{task_};
    }

private:
    explicit Task(Handle task) : task_{task} {}

    Handle task_;
};

template <>
struct Task<void>::promise_type : detail::TaskPromise {
    Task get_return_object() { return Task{Handle::from_promise(*this)}; }
    void return_void() const noexcept {}
    void take() const noexcept {}
};

/// The end of a task as a value: C++ does not allow co_await in a catch clause.
template <class Value>
struct Settled {
    std::optional<Value> value;   ///< null if the task has thrown
    std::exception_ptr failure{}; ///< null if it has not

    /// The value. Rethrows the failure. Call once.
    Value get() {
        if (failure) std::rethrow_exception(failure);
        return std::move(*value);
    }
};

/// Awaits `task`. Throws no exception of the task.
template <class Value>
Task<Settled<Value>> settle(Task<Value> task) {
    Settled<Value> end;
    try {
        end.value.emplace(co_await task);
    } catch (...) {
        end.failure = std::current_exception();
    }
    co_return end;
}

/// Runs `task` in this thread until it first waits. It then ends on its own. An exception from it
/// is logged and ends the program.
void start(Task<> task);

} // namespace usershell
