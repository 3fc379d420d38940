// The calls under way in this process: how many there may be, and the renewal of their places in
// the store. A call holds no thread, so calls are bounded by their number and by the memory of the
// process. Any thread.
#pragma once

#include "store/calls/execution.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <vector>

namespace usershell::execute {

class CallRegister {
    struct Entry {
        std::optional<store::Call> call{};
        std::chrono::steady_clock::time_point renewed_at{};
    };

public:
    /// Room for one call, for as long as it lives.
    class Place {
    public:
        /// Throws Refusal unavailable when there is no room.
        explicit Place(CallRegister& all);
        ~Place();
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

        /// From now on the call is renewed.
        void begun(const store::Call& call);

    private:
        CallRegister& all_;
        std::list<Entry>::iterator entry_;
    };

    CallRegister(std::size_t max_calls, std::size_t max_memory)
        : max_calls_{max_calls},
          max_memory_{max_memory} {}

    std::size_t size();

    /// The calls whose places should be renewed now; each again after `interval`.
    std::vector<store::Call> due(std::chrono::seconds interval);

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
