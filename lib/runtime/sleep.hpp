// Waits for a time on the event loop, without a thread.
#pragma once

#include "runtime/signals.hpp"

namespace usershell {

/// Begins on any thread, ends on the loop.
inline Task<> sleep_on(Loop& loop, Loop::Clock::duration time) {
    struct Alarm final : Loop::Timer {
        explicit Alarm(Loop& of) : Timer{of}, rung{of} { rung.reset(); }
        void on_due() override { rung.set(); }
        AsyncEvent rung;
    };
    co_await loop.enter();
    Alarm alarm{loop};
    alarm.set(Loop::Clock::now() + time);
    co_await alarm.rung.wait();
}

} // namespace usershell
