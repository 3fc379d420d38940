#include "crypto/bytes.hpp"

#include <algorithm>

#include <sodium.h>

namespace usershell::crypto {

// libsodium 1.0.18 takes some bytes of 0x80 and above for letters, as char is signed.
std::optional<std::size_t> decode_base64(std::string_view text, std::span<unsigned char> out,
                                         int variant) {
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    std::size_t size = 0;
    if (!std::all_of(text.begin(), text.end(), is_ascii) ||
        sodium_base642bin(out.data(), out.size(), text.data(), text.size(), nullptr, &size, nullptr,
                          variant) != 0)
        return std::nullopt;
    return size;
}

std::optional<std::size_t> decode_base64(std::string_view text, std::span<unsigned char> out) {
    return decode_base64(text, out, sodium_base64_VARIANT_ORIGINAL);
}

} // namespace usershell::crypto
