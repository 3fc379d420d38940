// Ends the program, with a sentence in the log, when one step of the event loop takes longer than
// 50 ms of its own: in work (its thread's processor time) or in waiting (asleep of its own accord).
// Time for which the machine had no processor free counts for neither, so that a busy machine
// raises no false alarm. Under a sanitizer, which slows everything down, the limit is ten times as
// long. Only builds with USERSHELL_WATCH_LOOP (the test presets) have one. One thread. For loop.cpp
// only.
#pragma once

#include "base/descriptor.hpp"

#include <chrono>

namespace usershell {

class StallWatch {
public:
    StallWatch();
    void begin();
    void end() const;

private:
    struct Reading {
        std::chrono::nanoseconds wall{};
        std::chrono::nanoseconds worked{};
        std::chrono::nanoseconds held_up{}; ///< ready to run, and no processor free
        long sleeps = 0;                    ///< how often it has gone to sleep of its own accord
    };
    Reading read() const;

    Descriptor statistics_; ///< /proc/thread-self/schedstat of the loop's thread
    Reading begun_;
};

} // namespace usershell
