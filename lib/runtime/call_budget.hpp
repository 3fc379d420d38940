// The budget of one call: requests to providers, and processor time for their answers and for the
// caller's own request. It bounds work, not waiting. Any thread; steps of several threads may
// overlap.
//
// A thread's processor time costs a system call at each look. So the first half of the budget is
// spent by the time that passes, which is never less; only the second half by processor time. On a
// busy machine a call therefore gets less than its budget, but at least half of it, unless the
// machine halts for so long in one step.
#pragma once

#include <atomic>
#include <chrono>
#include <ctime>

namespace usershell {

class CallBudget {
public:
    using Work = std::chrono::nanoseconds;
    using Clock = Work (*)();

    /// The time that passes (CLOCK_MONOTONIC).
    static Work passing_time() { return reading(CLOCK_MONOTONIC); }
    /// Processor time of the calling thread (CLOCK_THREAD_CPUTIME_ID).
    static Work thread_time() { return reading(CLOCK_THREAD_CPUTIME_ID); }

    CallBudget(int requests, Work work, Clock first = passing_time, Clock second = thread_time)
        : requests_{requests},
          work_{work.count()},
          half_{work.count() / 2},
          first_{first},
          second_{second} {}
    CallBudget(const CallBudget&) = delete;
    CallBudget& operator=(const CallBudget&) = delete;

    /// Takes one of the requests; false when none is left.
    bool take_request() { return requests_-- > 0; }
    bool has_request() const { return requests_ > 0; }

    bool is_spent() const { return work_ < 0; }

    /// Spends what the thread works from its beginning to its end, both in one thread.
    class Step {
    public:
        /// nullptr: counts for no call.
        explicit Step(CallBudget* budget)
            : budget_{budget},
              clock_{budget ? budget->clock() : nullptr},
              begun_{clock_ ? clock_() : Work{}} {}
        ~Step() {
            if (budget_) budget_->work_ -= (clock_() - begun_).count();
        }
        Step(const Step&) = delete;
        Step& operator=(const Step&) = delete;

    private:
        CallBudget* budget_;
        Clock clock_;
        Work begun_;
    };

private:
    /// As of clock_gettime(2).
    static Work reading(clockid_t clock) {
        timespec now{};
        ::clock_gettime(clock, &now);
        return std::chrono::seconds{now.tv_sec} + Work{now.tv_nsec};
    }
    Clock clock() const { return work_ < half_ ? second_ : first_; }

    std::atomic<int> requests_;
    std::atomic<Work::rep> work_; ///< left; below zero: spent
    Work::rep half_;
    Clock first_;
    Clock second_;
};

} // namespace usershell
