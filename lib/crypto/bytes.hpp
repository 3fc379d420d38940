// libsodium speaks of unsigned char, the standard library of char: the bridge. Internal to
// lib/crypto.
#pragma once

#include "base/wiping.hpp"

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

} // namespace usershell::crypto
