#include "base/ascii.hpp"

#include <cstdint>

namespace usershell {

std::string_view host_of(std::string_view origin) {
    const auto scheme = origin.find("://");
    return scheme == std::string_view::npos ? origin : origin.substr(scheme + 3);
}

std::string_view host_name_of(std::string_view origin) {
    const auto host = host_of(origin);
    return host.substr(0, host.rfind(':'));
}

std::string_view trim_blanks(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string lower_ascii(std::string_view text) {
    std::string lower{text};
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

std::string without(std::string_view text, char sign) {
    std::string rest{text};
    std::erase(rest, sign);
    return rest;
}

std::string without_tags(std::string_view markup) {
    std::string text;
    for_each_piece(markup, '<', [&](std::string_view piece) {
        text.append(" ").append(piece.substr(piece.find('>') + 1)); // of npos: all of it
    });
    return text;
}

std::string upper_ascii(std::string_view text) {
    std::string upper{text};
    for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return upper;
}

std::string hex(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        text += {digits[value >> 4U], digits[value & 0xfU]};
    }
    return text;
}

std::string base32(std::string_view bytes) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz234567";
    std::string text;
    std::uint32_t held = 0;
    unsigned bits = 0;
    for (const char each : bytes) {
        held = held << 8U | static_cast<unsigned char>(each);
        for (bits += 8; bits >= 5; bits -= 5) text += letters[held >> (bits - 5) & 31U];
    }
    return text;
}

std::string upper_hex(char byte) { return upper_ascii(hex({&byte, 1})); }

std::string percent_encoded(std::string_view text) {
    std::string encoded;
    for (const char c : text) {
        if (is_unreserved(c))
            encoded += c;
        else
            encoded += "%" + upper_hex(c);
    }
    return encoded;
}

std::optional<char> byte_of_hex(std::string_view text) {
    const auto byte = hex_number(text, 2);
    return byte ? std::optional{static_cast<char>(static_cast<unsigned char>(*byte))}
                : std::nullopt;
}

std::optional<unsigned> hex_number(std::string_view text, std::size_t digits) {
    if (text.size() < digits) return std::nullopt;
    unsigned number = 0;
    const char* const end = text.data() + digits;
    const auto [rest, error] = std::from_chars(text.data(), end, number, 16);
    return error == std::errc{} && rest == end ? std::optional{number} : std::nullopt;
}

} // namespace usershell
