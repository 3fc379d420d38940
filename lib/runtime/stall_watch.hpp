// Ends the program, with a sentence in the log, when something holds up an event loop:
//  - a step that works for more than 500 ms of its thread's processor time (with ThreadSanitizer
//    2 s). The rule is 50 ms, but a guest's clock also counts what its host takes from it;
//  - a call that waits for another program, however short, and declares it by assert_may_wait();
//  - a step that sleeps for more than 2 s, not counting the time for which it was ready to run and
//    had no processor. The limit is high because even a lock that is held for microseconds sleeps
//    for as long as its holder has no processor on a busy machine.
// Only builds with USERSHELL_WATCH_LOOP (the test presets) watch.
#pragma once

#include "runtime/descriptor.hpp"

#include <chrono>
#include <string_view>

namespace usershell {

/// To be called before a statement or anything else that waits for another program: aborts when the
/// calling thread is a watched event loop, else does nothing. Any thread.
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
        std::chrono::nanoseconds worked{};  ///< processor time of the thread
        std::chrono::nanoseconds held_up{}; ///< time spent ready to run, with no processor free
        long sleeps = 0;                    ///< voluntary context switches
    };
    Reading read() const;

    Descriptor statistics_; ///< /proc/thread-self/schedstat of the loop's thread
    Reading begun_;
};

} // namespace usershell
