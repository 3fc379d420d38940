#include "cost.hpp"
#include "target.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace usershell::fuzz {

namespace {

// A short input says little of cost, and a fuzzer's inputs are short. So a part of one is repeated
// until the input has a quarter of the largest size, and then the whole of it. Linear work is then
// four times as much, quadratic work sixteen times: counts may be six times as high. In every other
// version the copies differ by a number, so that they do not fall together in a set.

// The free part, for work that begins at some length only: for each byte, and in all.
constexpr std::uint64_t free_steps = 64;
constexpr std::uint64_t free_steps_in_all = std::uint64_t{1} << 18U;
constexpr std::size_t free_bytes = 16;
constexpr std::size_t free_bytes_in_all = std::size_t{1} << 20U;
constexpr std::size_t digits = 4;

std::uint64_t hash_of(std::string_view bytes) {
    std::uint64_t hash = 14695981039346656037U;
    for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
    return hash ^ hash >> 29U;
}

/// The input with the part from `begin` to `end` repeated up to `size` bytes.
std::string repeated(std::string_view input, std::size_t begin, std::size_t end, bool numbered,
                     std::size_t size) {
    constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    const auto part = input.substr(begin, end - begin);
    std::string text{input.substr(0, end)};
    text.reserve(size + part.size() + digits);
    for (std::size_t number = 0; text.size() + input.size() - end < size; ++number) {
        for (std::size_t at = 0; numbered && at < digits; ++at)
            text += letters[(number >> (6 * at)) % letters.size()];
        text += part;
    }
    return text += input.substr(end);
}

/// As require(), with the figures.
void require_cost(bool holds, const char* rule, std::size_t size, std::uint64_t cost) {
    if (!holds)
        fail(std::string{rule} + ": " + std::to_string(cost) + " at " + std::to_string(size) +
             " bytes");
}

void require_memory(const Target& target, std::size_t size, const Cost& cost) {
    require_cost(cost.peak <= 3 * size + target.memory, "memory is at most three times the input",
                 size, cost.peak);
}

void check_long_versions(const Target& target, std::string_view input, std::uint64_t hash) {
    const std::size_t begin = hash % input.size();
    const std::size_t end = begin + 1 + (hash >> 20U) % (input.size() - begin);
    const bool numbered = (hash >> 40U & 1U) != 0;
    const auto quarter = repeated(input, begin, end, numbered, target.largest / 4);
    const auto whole = repeated(input, begin, end, numbered, target.largest);
    const auto cost_of_quarter = cost_of([&] { target.run(quarter); });
    const auto cost_of_whole = cost_of([&] { target.run(whole); });
    require_memory(target, quarter.size(), cost_of_quarter);
    require_memory(target, whole.size(), cost_of_whole);
    require_cost(cost_of_whole.steps <=
                     6 * cost_of_quarter.steps + free_steps * whole.size() + free_steps_in_all,
                 "steps are linear", whole.size(), cost_of_whole.steps);
    require_cost(cost_of_whole.allocated <=
                     6 * cost_of_quarter.allocated + free_bytes * whole.size() + free_bytes_in_all,
                 "allocations are linear", whole.size(), cost_of_whole.allocated);
}

} // namespace

void check(const Target& target, std::string_view input, bool always) {
    const auto hash = hash_of(input);
    // Looked at now and then: to read all counters takes longer than most runs.
    if (!always && hash % 8192 != 0) return target.run(input);
    static const Target* last = nullptr;
    if (std::exchange(last, &target) != &target) target.run(input); // makes what lasts
    require_memory(target, input.size(), cost_of([&] { target.run(input); }));
    if (!input.empty() && input.size() < target.largest / 4)
        check_long_versions(target, input, hash_of(input.substr(input.size() / 2)));
}

} // namespace usershell::fuzz
