// Lets an event loop look at its descriptors once.
#pragma once
#include "runtime/signals.hpp"
namespace usershell::test {
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
