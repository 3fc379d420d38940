// Runs a task on an event loop, in the calling thread until it has ended: its value or exception.
#pragma once
#include "runtime/loop.hpp"
#include "runtime/signals.hpp"
#include <exception>
#include <type_traits>
namespace usershell::test {
template <class Value>
Value run_on(Loop& loop, Task<Value> task) {
    std::exception_ptr failure;
    std::optional<std::conditional_t<std::is_void_v<Value>, bool, Value>> value;
    const auto finish = [&]() -> Task<> {
        co_await loop.enter();
        try {
            if constexpr (std::is_void_v<Value>)
                co_await task;
            else
                value.emplace(co_await task);
        } catch (...) {
            failure = std::current_exception();
        }
        co_await loop.enter();
        loop.stop();
    };
    start(finish());
    loop.run();
    if (failure) std::rethrow_exception(failure);
    if constexpr (!std::is_void_v<Value>) return std::move(*value);
}
/// Lets the loop do what it was asked for.
inline void settle(Loop& loop) {
    run_on(loop, [](Loop& on) -> Task<> { co_await on.enter(); }(loop));
}
/// Lets the loop look at its descriptors once.
inline Task<> one_turn(Loop& loop) {
    struct Soon final : Loop::Timer {
        explicit Soon(Loop& of) : Timer{of}, turned{of} {
            turned.reset();
            set(Loop::Clock::now());
        }
        void on_due() override { turned.set(); }
        AsyncEvent turned;
    };
    Soon soon{loop};
    co_await soon.turned.wait();
}
} // namespace usershell::test
