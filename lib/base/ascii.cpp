#include "base/ascii.hpp"

namespace usershell {

namespace {

constexpr std::string_view lower_digits = "0123456789abcdef";
constexpr std::string_view upper_digits = "0123456789ABCDEF";

std::optional<unsigned> value_of(char digit) {
    const auto lower = static_cast<char>(digit >= 'A' && digit <= 'F' ? digit + 'a' - 'A' : digit);
    const std::size_t value = lower_digits.find(lower);
    if (value == std::string_view::npos) return std::nullopt;
    return static_cast<unsigned>(value);
}

void append_hex(std::string& text, char byte, std::string_view digits) {
    const auto value = static_cast<unsigned char>(byte);
    text += {digits[value >> 4U], digits[value & 0xfU]};
}

} // namespace

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

std::string upper_ascii(std::string_view text) {
    std::string upper{text};
    for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return upper;
}

std::string hex(std::string_view bytes) {
    std::string text;
    text.reserve(2 * bytes.size());
    for (const char byte : bytes) append_hex(text, byte, lower_digits);
    return text;
}

std::string upper_hex(char byte) {
    std::string text;
    append_hex(text, byte, upper_digits);
    return text;
}

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
    for (const char digit : text.substr(0, digits)) {
        const auto value = value_of(digit);
        if (!value) return std::nullopt;
        number = number * 16U + *value;
    }
    return number;
}

} // namespace usershell
