#include "runtime/call_budget.hpp"

#include <ctime>

namespace usershell {

namespace {

CallBudget::Work time_of(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return std::chrono::seconds{now.tv_sec} + CallBudget::Work{now.tv_nsec};
}

} // namespace

CallBudget::Work CallBudget::passing_time() { return time_of(CLOCK_MONOTONIC); }

CallBudget::Work CallBudget::thread_time() { return time_of(CLOCK_THREAD_CPUTIME_ID); }

} // namespace usershell
