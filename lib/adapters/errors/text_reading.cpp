#include "adapters/errors/text_reading.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"

#include <optional>

namespace usershell::adapters {

namespace {

/// What an escape at the front stands for, and its size; size 0 when there is none.
struct Escape {
    std::string bytes;
    std::size_t size = 0;
};

std::string utf8(unsigned point) {
    const auto low = [&](unsigned shift) {
        return static_cast<char>(0x80U | ((point >> shift) & 0x3fU));
    };
    if (point < 0x80) return {static_cast<char>(point)};
    if (point < 0x800) return {static_cast<char>(0xc0U | (point >> 6U)), low(0)};
    if (point < 0x10000) return {static_cast<char>(0xe0U | (point >> 12U)), low(6), low(0)};
    return {static_cast<char>(0xf0U | (point >> 18U)), low(12), low(6), low(0)};
}

/// `\uXXXX`, two of them when they are the halves of one code point.
Escape unicode_escape(std::string_view text) {
    const auto unit = [](std::string_view at) {
        return at.starts_with("\\u") ? hex_number(at.substr(2), 4) : std::nullopt;
    };
    const auto first = unit(text);
    if (!first) return {};
    const auto second = unit(text.substr(6)).value_or(0);
    if (*first >= 0xd800 && *first < 0xdc00 && second >= 0xdc00 && second < 0xe000)
        return {utf8(0x10000U + ((*first - 0xd800U) << 10U) + (second - 0xdc00U)), 12};
    return {utf8(*first), 6};
}

Escape escape_at(std::string_view text) {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (text.front() == '%')
        if (const auto byte = byte_of_hex(text.substr(1))) return {{*byte}, 3};
    if (text.front() != '\\' || text.size() < 2) return {};
    if (const auto which = letters.find(text[1]); which != std::string_view::npos)
        return {{meanings[which]}, 2};
    return unicode_escape(text);
}

/// The six bits of a character in base64, also of the URL alphabet.
std::optional<unsigned> sextet(char c) {
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char plain = c == '-' ? '+' : c == '_' ? '/' : c;
    const auto value = alphabet.find(plain);
    if (value == std::string_view::npos) return std::nullopt;
    return static_cast<unsigned>(value);
}

std::string decoded(std::string_view run) {
    std::string bytes;
    unsigned bits = 0;
    unsigned count = 0;
    for (const char c : run) {
        bits = (bits << 6U) | sextet(c).value_or(0);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += static_cast<char>((bits >> count) & 0xffU);
    }
    return bytes;
}

} // namespace

void TextReading::append(std::string_view bytes, Span origin) {
    bytes_ += bytes;
    origins_.insert(origins_.end(), bytes.size(), origin);
}

TextReading TextReading::of(std::string_view text) {
    TextReading reading;
    for (std::uint32_t at = 0; at < text.size(); ++at)
        reading.append(text.substr(at, 1), {at, at + 1});
    return reading;
}

TextReading TextReading::unescaped() const {
    TextReading reading;
    for (std::size_t at = 0; at < bytes_.size();) {
        Escape escape = escape_at(std::string_view{bytes_}.substr(at));
        if (escape.size == 0) escape = {{bytes_[at]}, 1};
        reading.append(escape.bytes, origin(at, escape.size));
        at += escape.size;
    }
    return reading;
}

TextReading TextReading::folded() const {
    TextReading reading;
    std::string point;
    for (std::size_t at = 0; at < bytes_.size();) {
        point.clear();
        const auto size = fold_first(std::string_view{bytes_}.substr(at), point);
        reading.append(point, origin(at, size));
        at += size;
    }
    return reading;
}

TextReading TextReading::from_base64(std::size_t skipped) const {
    TextReading reading;
    for (std::size_t at = 0; at < bytes_.size();) {
        std::size_t end = at;
        while (end < bytes_.size() && sextet(bytes_[end])) ++end;
        if (end > at + skipped) {
            const auto run = std::string_view{bytes_}.substr(at + skipped, end - at - skipped);
            reading.append(decoded(run) + '\0', origin(at, end - at));
        }
        at = end + 1;
    }
    return reading;
}

} // namespace usershell::adapters
