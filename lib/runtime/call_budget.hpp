// The budget of one call: requests to providers, and processor time for their answers and for the
// caller's own request. It bounds work, not waiting. Any thread; steps of several threads may
// overlap.
#pragma once

#include <atomic>
#include <chrono>

namespace usershell {

class CallBudget {
public:
    using Work = std::chrono::nanoseconds;
    using Clock = Work (*)();

    /// Processor time of the calling thread (CLOCK_THREAD_CPUTIME_ID).
    static Work thread_time();

    CallBudget(int requests, Work work, Clock clock = thread_time)
        : requests_{requests},
          work_{work.count()},
          clock_{clock} {}
    CallBudget(const CallBudget&) = delete;
    CallBudget& operator=(const CallBudget&) = delete;

    /// Takes one of the requests; false when none is left.
    bool take_request() { return requests_-- > 0; }
    bool has_request() const { return requests_ > 0; }

    void spend(Work work) { work_ -= work.count(); }
    bool is_spent() const { return work_ < 0; }

    /// Spends what the thread works from its beginning to its end, both in one thread.
    class Step {
    public:
        /// nullptr: counts for no call.
        explicit Step(CallBudget* budget)
            : budget_{budget},
              begun_{budget ? budget->clock_() : Work{}} {}
        ~Step() {
            if (budget_) budget_->spend(budget_->clock_() - begun_);
        }
        Step(const Step&) = delete;
        Step& operator=(const Step&) = delete;

    private:
        CallBudget* budget_;
        Work begun_;
    };

private:
    std::atomic<int> requests_;
    std::atomic<Work::rep> work_; ///< left; below zero: spent
    Clock clock_;
};

} // namespace usershell
