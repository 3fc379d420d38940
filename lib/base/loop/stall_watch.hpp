// Ends the program, with a sentence in the log, when something holds up an event loop:
//  - a step that works for more than 50 ms of its thread's processor time (under a sanitizer, which
//    slows everything down, ten times as long);
//  - anything that waits for the world outside, however short, and says so by assert_may_wait();
//  - a step that sleeps for 2 s of its own accord, less the time for which it had no processor. So
//    much, because a lock of a few microseconds sleeps for as long as its holder, on a busy
//    machine, has no processor.
// Only builds with USERSHELL_WATCH_LOOP (the test presets) watch.
#pragma once

#include "base/process/descriptor.hpp"

#include <chrono>
#include <string_view>

namespace usershell {

/// Say it before a statement, or whatever else waits for another program: not on an event loop. Any
/// thread; without a watch in it, nothing happens.
void assert_may_wait(std::string_view for_what);

/// The watch of the calling thread. For loop.cpp only.
class StallWatch {
public:
    StallWatch();
    ~StallWatch();
    StallWatch(const StallWatch&) = delete;
    StallWatch& operator=(const StallWatch&) = delete;
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
