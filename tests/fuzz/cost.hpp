// The cost of a run, counted and not timed: an input costs the same on every machine. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace usershell::fuzz {

struct Cost {
    std::size_t peak = 0;      ///< most bytes held at a time, besides those held before
    std::size_t allocated = 0; ///< bytes asked for in all
    std::uint64_t steps = 0;   ///< counters of the clang build that went up; 0 in others
};

Cost cost_of(const std::function<void()>& run);

} // namespace usershell::fuzz
