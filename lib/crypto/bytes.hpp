// The bridge between libsodium's unsigned char and the standard library's char, and Base64.
#pragma once

#include "base/wiping.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace usershell::crypto {

inline const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

inline unsigned char* bytes_of(std::string& text) {
    return reinterpret_cast<unsigned char*>(text.data());
}

inline unsigned char* bytes_of(WipedString& text) {
    return reinterpret_cast<unsigned char*>(text.data());
}

/// Decodes `text` to the beginning of `out`. Returns the number of bytes, or null when the text is
/// not canonical or does not fit. `variant`: sodium_base64_VARIANT_….
std::optional<std::size_t> decode_base64(std::string_view text, std::span<unsigned char> out,
                                         int variant);

/// The same, of the standard alphabet with padding (RFC 4648, section 4).
std::optional<std::size_t> decode_base64(std::string_view text, std::span<unsigned char> out);

} // namespace usershell::crypto
