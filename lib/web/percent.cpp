#include "web/percent.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace usershell::web {

namespace {

std::optional<unsigned> hex_value(char digit) {
    if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
    if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a') + 10U;
    if (digit >= 'A' && digit <= 'F') return static_cast<unsigned>(digit - 'A') + 10U;
    return std::nullopt;
}

std::optional<char> escaped_byte(std::string_view digits) {
    if (digits.size() < 2) return std::nullopt;
    const auto high = hex_value(digits[0]);
    const auto low = hex_value(digits[1]);
    if (!high || !low) return std::nullopt;
    return static_cast<char>(static_cast<unsigned char>(*high * 16U + *low));
}

} // namespace

std::optional<std::string> decode_form_text(std::string_view encoded) {
    std::string text;
    text.reserve(encoded.size());
    for (std::size_t i = 0; i < encoded.size(); ++i) {
        if (encoded[i] == '%') {
            const auto byte = escaped_byte(encoded.substr(i + 1));
            if (!byte) return std::nullopt;
            text.push_back(*byte);
            i += 2;
        } else {
            text.push_back(encoded[i] == '+' ? ' ' : encoded[i]);
        }
    }
    if (!is_form_text(text)) return std::nullopt;
    return text;
}

bool has_c0_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r' && c != '\n';
    });
}

bool is_form_text(std::string_view text) { return !has_c0_control(text) && is_utf8(text); }

} // namespace usershell::web
