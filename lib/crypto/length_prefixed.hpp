// Fields one after another, each with its length in front (4 bytes, big-endian): two different
// lists never give the same bytes. What records, associated data, derivations and hashes are made
// of. They are read by crypto/opening/field_reader.hpp. Pure functions. Internal to lib/crypto.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace usershell::crypto {

/// Bytes in front of each field.
inline constexpr std::size_t length_prefix_size = 4;

using FieldList = std::span<const std::string_view>;

/// Bytes that the fields take. Throws std::length_error for a field of 4 GiB or more.
std::size_t length_prefixed_size(FieldList fields);

/// Writes the fields to the beginning of `out`. Throws std::length_error when it has no room for
/// them.
void write_length_prefixed(std::span<unsigned char> out, FieldList fields);

/// The fields as bytes; for what is no secret.
std::string length_prefixed(std::initializer_list<std::string_view> fields);

} // namespace usershell::crypto
