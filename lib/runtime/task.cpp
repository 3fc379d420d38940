#include "runtime/task.hpp"

#include "base/logging/log.hpp"

namespace usershell {

namespace {

struct Detached {
    struct promise_type {
        Detached get_return_object() const noexcept { return {}; }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
    };
};

Detached detach(Task<> task) {
    try {
        co_await task;
    } catch (const std::exception& error) {
        log_last(Level::error, "task failed", {{"error", loggable(error)}});
        std::terminate();
    }
}

} // namespace

void start(Task<> task) { detach(std::move(task)); }

} // namespace usershell
