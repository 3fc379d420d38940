#include "crypto/length_prefixed.hpp"

#include "crypto/bytes.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace usershell::crypto {

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
            throw std::length_error{"a field is too long"};
        size += length_prefix_size + field.size();
    }
    return size;
}

void write_length_prefixed(std::span<unsigned char> out, FieldList fields) {
    if (length_prefixed_size(fields) > out.size())
        throw std::length_error{"no room for the fields"};
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

} // namespace usershell::crypto
