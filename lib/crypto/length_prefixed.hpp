// Fields one after another, each with its length in front (4 bytes, big-endian): two different
// lists never give the same bytes. Records, associated data, derivations and hashes are made of
// them. Internal to lib/crypto.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace usershell::crypto {

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
