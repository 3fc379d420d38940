// Fields one after another, each with its length in front (4 bytes, big-endian): two different
// lists never give the same bytes. What records, associated data and hashes are made of. Reading is
// for crypto/unseal/field_reader.hpp. Pure functions. Internal to lib/crypto.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace usershell::crypto {

inline constexpr std::size_t field_prefix_size = 4;

using Fields = std::initializer_list<std::string_view>;

/// Bytes that the fields take when joined. Throws std::length_error for a field of 4 GiB or more.
std::size_t joined_size(Fields fields);

/// Writes the fields to the beginning of `out`. Throws std::length_error when it has no room for
/// them.
void join_into(std::span<unsigned char> out, Fields fields);

/// The joined fields; for what is no secret.
std::string joined(Fields fields);

} // namespace usershell::crypto
