#include "runtime/call_budget.hpp"

#include <ctime>

namespace usershell {

CallBudget::Work CallBudget::thread_time() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds{now.tv_sec} + Work{now.tv_nsec};
}

} // namespace usershell
