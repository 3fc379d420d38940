#include "adapters/reading/token_joiner.hpp"

#include "base/text.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include <unistr.h>

namespace usershell::adapters {

namespace {

constexpr int incomplete = -2; // of u8_mbtoucr()
constexpr const char* replacement = "\xef\xbf\xbd";

const std::uint8_t* units_of(std::string_view bytes) {
    return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

/// Half of a surrogate pair in the three bytes of json.hpp, which UTF-8 refuses: U+D800 to U+DFFF.
struct Half {
    bool possible;      ///< more bytes may make one
    std::uint16_t unit; ///< 0 when it is not there
};

Half half_at(std::string_view bytes) {
    const auto* units = units_of(bytes);
    const bool begun =
        (bytes.empty() || units[0] == 0xed) && (bytes.size() < 2 || (units[1] & 0xe0U) == 0xa0U);
    if (!begun || bytes.size() < 3) return {begun, 0};
    if ((units[2] & 0xc0U) != 0x80U) return {false, 0};
    const auto bits = ((units[1] & 0x3fU) << 6U) | (units[2] & 0x3fU);
    return {false, static_cast<std::uint16_t>(0xd000U | bits)};
}

bool is_high(std::uint16_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low(std::uint16_t unit) { return unit >= 0xdc00; }

std::string character_of(std::uint16_t high, std::uint16_t low) {
    const std::array<std::uint16_t, 2> units{high, low};
    std::array<std::uint8_t, 4> bytes{};
    std::size_t size = bytes.size();
    u16_to_u8(units.data(), units.size(), bytes.data(), &size);
    return {bytes.begin(), bytes.end()};
}

/// The bytes of a broken sequence that one replacement takes the place of: as many as begin a
/// character, or one. The bytes behind decide nothing, since they may be in the next piece.
std::size_t broken_size(std::string_view bytes) {
    ucs4_t point = 0;
    std::size_t size = 1;
    while (size < bytes.size() && u8_mbtoucr(&point, units_of(bytes), size + 1) == incomplete)
        ++size;
    return size;
}

/// The first sequence of the bytes: its text and its size. Both are empty while it is incomplete.
struct Sequence {
    std::string text;
    std::size_t size;
};

Sequence first_sequence(std::string_view bytes, bool at_end) {
    ucs4_t point = 0;
    const int size = u8_mbtoucr(&point, units_of(bytes), bytes.size());
    const auto count = static_cast<std::size_t>(size);
    if (size > 0) return {std::string{bytes.substr(0, count)}, count};
    const Half first = half_at(bytes);
    if (!at_end && (size == incomplete || first.possible)) return {"", 0};
    if (first.unit == 0) return {replacement, broken_size(bytes)};
    const Half second = half_at(bytes.substr(3));
    if (is_high(first.unit) && is_low(second.unit))
        return {character_of(first.unit, second.unit), 6};
    if (is_high(first.unit) && second.possible && !at_end) return {"", 0};
    return {replacement, 3};
}

} // namespace

std::string TokenJoiner::join(std::string_view piece) {
    if (held_.empty() && is_utf8(piece)) return std::string{piece};
    held_ += piece;
    return take(false);
}

std::string TokenJoiner::flush() { return take(true); }

std::string TokenJoiner::take(bool at_end) {
    std::string text;
    std::string_view left = held_;
    while (!left.empty()) {
        const Sequence next = first_sequence(left, at_end);
        if (next.size == 0) break;
        text += next.text;
        left.remove_prefix(next.size);
    }
    std::string{left}.swap(held_); // gives back the room of a large piece
    return text;
}

} // namespace usershell::adapters
