// The bridge between libsodium's unsigned char and the standard library's char, and Base64.
#pragma once

#include "base/wiping.hpp"

#include <cstddef>
#include <initializer_list>
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

// Fields one after another, each with its length in front (4 bytes, big-endian): two different
// lists never give the same bytes. Records, associated data, derivations and hashes are made of
// them. Internal to lib/crypto.

/// Bytes in front of each field.
inline constexpr std::size_t length_prefix_size = 4;

using FieldList = std::span<const std::string_view>;

/// Bytes that the fields take. Throws Error for a field of 4 GiB or more.
std::size_t length_prefixed_size(FieldList fields);

/// Writes the fields to the beginning of `out`. Throws Error when it has no room for
/// them.
void write_length_prefixed(std::span<unsigned char> out, FieldList fields);

/// The fields as bytes. Not for secrets.
std::string length_prefixed(std::initializer_list<std::string_view> fields);

/// Reads the fields of a record one after another. They are views of it.
class FieldReader {
public:
    explicit FieldReader(std::string_view record) : rest_{record} {}

    /// Null when the rest is no whole field.
    std::optional<std::string_view> next();
    bool at_end() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

} // namespace usershell::crypto
