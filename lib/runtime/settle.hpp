// The end of a task as a value: C++ does not allow co_await in a catch clause.
#pragma once

#include "runtime/task.hpp"

#include <exception>
#include <optional>
#include <utility>

namespace usershell {

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

} // namespace usershell
