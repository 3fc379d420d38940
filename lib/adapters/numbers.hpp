// Every number that is read from a provider, with its bound: it is clamped where it is read, so
// that no sum, column or clock of ours meets another. Of a time to wait it is net::max_wait.
#pragma once

#include <algorithm>
#include <cstdint>

namespace usershell::adapters {

/// Whole numbers in JSON: tokens of each kind, codes and statuses of errors, indices of choices.
/// A negative number, one with a fraction, or another value is read as none.
inline constexpr std::uint64_t max_json_count = 1'000'000'000;
/// The credit that is left, in units of its currency, also below zero; a larger one is read as
/// none.
inline constexpr std::uint64_t max_credit = 1'000'000'000'000;

/// Of two counts, itself bounded.
inline std::uint64_t sum_of(std::uint64_t one, std::uint64_t other) {
    return std::min(one + other, max_json_count);
}

} // namespace usershell::adapters
