// The calls under way in this process: how many there may be, the renewal of their slots in the
// store, and the end of those that were not renewed. A call holds no thread, so calls are bounded
// by their number and by the memory of the process. Any thread.
#pragma once

#include "store/calls.hpp"
#include "web/message.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace usershell::execute {

class CallRegister {
    struct Entry {
        std::optional<store::CallId> call{};
        std::chrono::steady_clock::time_point renewed_at{};
        web::Stream* answer = nullptr; ///< null: nothing is called yet, or any more
    };

public:
    /// Room for one call, for as long as it lives.
    class Slot {
    public:
        /// Throws Refusal unavailable when there is no room.
        explicit Slot(CallRegister& all);
        ~Slot();
        Slot(const Slot&) = delete;
        Slot& operator=(const Slot&) = delete;

        /// From now on the call is renewed.
        void begun(const store::CallId& call);
        /// From now on end() cancels the call, as a client that goes away does. nullptr: no longer.
        void answers(web::Stream* stream);

    private:
        CallRegister& all_;
        std::list<Entry>::iterator entry_;
    };

    CallRegister(std::size_t max_calls, std::size_t max_memory)
        : max_calls_{max_calls},
          max_memory_{max_memory} {}

    std::size_t size();

    /// The calls that were not renewed for so long.
    std::vector<store::CallId> due(std::chrono::seconds unrenewed);
    /// Those of `calls` with one of these ids were renewed at that time. Returns the others.
    std::vector<store::CallId> renewed(const std::vector<store::CallId>& calls,
                                       const std::vector<std::string>& ids,
                                       std::chrono::steady_clock::time_point at);
    /// Ends these calls: towards the provider at once, towards the client with an error. On the
    /// loop. To be called again while a call is due: it may only just have begun.
    void end(const std::vector<store::CallId>& calls);

    /// After a burst, the allocator gives back what it has kept of it: when less than half as many
    /// calls run as at most since the last time. True when it was told to. May take some ms, in
    /// which other threads wait for memory.
    bool give_back_memory();

private:
    bool has_memory();

    const std::size_t max_calls_;
    const std::size_t max_memory_;
    std::mutex mutex_;
    std::list<Entry> entries_;
    std::size_t peak_ = 0; ///< the most calls since memory was given back
    std::chrono::steady_clock::time_point trimmed_at_{};
};

} // namespace usershell::execute
