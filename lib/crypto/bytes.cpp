#include "crypto/bytes.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

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

namespace {

unsigned char* write_length(unsigned char* out, std::size_t length) {
    for (int shift = 24; shift >= 0; shift -= 8)
        *out++ = static_cast<unsigned char>((length >> shift) & 0xff);
    return out;
}

} // namespace

std::size_t length_prefixed_size(FieldList fields) {
    std::size_t size = 0;
    for (const auto field : fields) {
        if (field.size() > std::numeric_limits<std::uint32_t>::max())
            throw Error{"a field is too long"};
        size += length_prefix_size + field.size();
    }
    return size;
}

void write_length_prefixed(std::span<unsigned char> out, FieldList fields) {
    if (length_prefixed_size(fields) > out.size()) throw Error{"no room for the fields"};
    auto* at = out.data();
    for (const auto field : fields) {
        at = write_length(at, field.size());
        at = std::ranges::copy(field, at).out;
    }
}

std::string length_prefixed(std::initializer_list<std::string_view> fields) {
    const FieldList list{fields.begin(), fields.size()};
    std::string out(length_prefixed_size(list), '\0');
    write_length_prefixed({bytes_of(out), out.size()}, list);
    return out;
}

std::optional<std::string_view> FieldReader::next() {
    if (rest_.size() < length_prefix_size) return std::nullopt;
    std::size_t size = 0;
    for (const char byte : rest_.substr(0, length_prefix_size))
        size = size << 8 | static_cast<unsigned char>(byte);
    if (size > rest_.size() - length_prefix_size) return std::nullopt;
    const auto field = rest_.substr(length_prefix_size, size);
    rest_.remove_prefix(length_prefix_size + size);
    return field;
}

} // namespace usershell::crypto
