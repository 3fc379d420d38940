#include "web/percent.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace usershell::web {

std::optional<WipedString> decode_form_text(std::string_view encoded) {
    WipedString text;
    text.reserve(encoded.size());
    for (std::size_t i = 0; i < encoded.size(); ++i) {
        if (encoded[i] == '%') {
            const auto byte = byte_of_hex(encoded.substr(i + 1));
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
