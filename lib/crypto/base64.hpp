// Base64 read strictly. libsodium 1.0.18 takes some bytes of 0x80 and above for letters, as char is
// signed; here they are refused. Internal to lib/crypto.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace usershell::crypto {

/// Writes what `text` stands for to the beginning of `out`: the number of bytes, or nothing when it
/// is not canonical or does not fit. `variant`: sodium_base64_VARIANT_….
std::optional<std::size_t> decode_base64(std::string_view text, std::span<unsigned char> out,
                                         int variant);

} // namespace usershell::crypto
