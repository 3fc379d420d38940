// The memory that strangers make calls keep: bodies of callers, answers of providers, and what a
// client has not taken yet. Each byte of it is reserved before it is kept. All calls of a process
// share it, and one user has at most a part of it.
//
// A buffer's first free_bytes belong to the call itself, whose number is bounded: a small body, a
// token's event or a short document reserves nothing, takes no lock, and is never refused. All
// above is reserved in steps, by what has come and not by what was announced.
//
// A user who wants more than their part loses the call that wants it. When all is taken, the user
// who has most loses: the call that wants more, if it is theirs; else first the body that arrives
// for longest, then the call that has most. Nobody else is refused. A call that is lost is
// cancelled, and is_lost() is true.
#pragma once

#include "base/ids.hpp"
#include "runtime/signals.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace usershell {

class CallMemory;

/// The memory that all calls share. Any thread. Outlives the calls and the loop's run.
class MemoryShares {
public:
    /// `all`, `of_user`: bytes.
    MemoryShares(Loop& loop, std::size_t all, std::size_t of_user)
        : loop_{loop},
          all_{all},
          of_user_{of_user} {}

    /// Bytes that are reserved, those of lost calls that have not ended yet included.
    std::size_t taken();

private:
    friend class CallMemory;
    struct User {
        std::size_t taken = 0;
        std::list<CallMemory*> calls{}; ///< that have something, oldest first
    };
    using Users = std::map<UserId, User>;

    bool take(CallMemory& memory, std::size_t more);
    void give_back(CallMemory& memory, std::size_t bytes);
    bool make_room(const User& asking, std::size_t more);
    void lose(CallMemory& memory);
    void drop(CallMemory& memory);
    Task<> cancel_lost();

    Loop& loop_;
    const std::size_t all_;
    const std::size_t of_user_;
    std::mutex mutex_;
    Users users_; ///< with calls alone
    std::size_t taken_ = 0;
    std::size_t leaving_ = 0;       ///< of lost calls, besides `taken_`
    std::vector<CallMemory*> lost_; ///< to be cancelled
};

/// The memory of one call. Outlives its parts.
class CallMemory {
public:
    /// Of each buffer, besides what is reserved; also the step in which is reserved.
    static constexpr std::size_t free_bytes = std::size_t{64} * 1024;

    /// One buffer's. One thread at a time.
    class Part {
    public:
        /// nullptr: nothing is counted.
        explicit Part(CallMemory* memory = nullptr) : memory_{memory} {}
        ~Part() { clear(); }
        Part(Part&& other) noexcept
            : memory_{other.memory_},
              reserved_{std::exchange(other.reserved_, 0)} {}
        Part& operator=(Part&& other) noexcept {
            std::swap(memory_, other.memory_);
            std::swap(reserved_, other.reserved_);
            return *this;
        }

        /// Has so much from now on, more or less than before. False: there is no memory, and the
        /// call is lost.
        bool hold(std::size_t bytes) {
            const std::size_t steps = (std::max(bytes, free_bytes) - 1) / free_bytes;
            return steps * free_bytes == reserved_ || change(steps * free_bytes);
        }
        /// The same, never less than before.
        bool grow_to(std::size_t bytes) { return bytes <= reserved_ + free_bytes || hold(bytes); }
        void clear() { hold(0); }

    private:
        bool change(std::size_t reserved);

        CallMemory* memory_;
        std::size_t reserved_ = 0;
    };

    CallMemory(MemoryShares& shares, UserId user) : shares_{shares}, user_{std::move(user)} {}
    ~CallMemory();
    CallMemory(const CallMemory&) = delete;
    CallMemory& operator=(const CallMemory&) = delete;

    /// Was the call refused memory, or has it lost what it had? It should end.
    bool is_lost() const { return is_lost_; }
    /// Cancelled, and set, when the call is lost. Both null: no longer. On the loop.
    void ends(CancellationToken* cancellation, AsyncEvent* writable);
    /// A body is on its way. Such a call loses its memory before others of its user.
    void arrives(bool is_arriving);

private:
    friend class MemoryShares;

    MemoryShares& shares_;
    const UserId user_;
    std::atomic<bool> is_lost_ = false;
    // Under the mutex of the shares.
    std::size_t taken_ = 0;
    bool is_arriving_ = false;
    CancellationToken* cancellation_ = nullptr;
    AsyncEvent* writable_ = nullptr;
};

/// Appends to a string whose memory `part` has. False: there is none, and nothing is appended.
inline bool append_to(std::string& text, std::string_view more, CallMemory::Part& part) {
    const std::size_t size = text.size() + more.size();
    const bool fits = size <= text.capacity();
    const std::size_t room = fits ? size : std::max(size, 2 * text.capacity());
    if (!part.grow_to(room)) return false;
    if (!fits) text.reserve(room);
    text.append(more);
    return true;
}

/// Gives back what a string has room for beyond what it contains, if that is much.
void give_back_room(std::string& text, CallMemory::Part& part);

// The budget of one call: requests to providers, and processor time for their answers and for the
// caller's own request. It bounds work, not waiting. Any thread; steps of several threads may
// overlap.
//
// A thread's processor time costs a system call at each look. So the first half of the budget is
// spent by the time that passes, which is never less; only the second half by processor time. On a
// busy machine a call therefore gets less than its budget, but at least half of it, unless the
// machine halts for so long in one step.

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
