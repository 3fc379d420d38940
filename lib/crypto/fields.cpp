#include "crypto/fields.hpp"

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

std::size_t joined_size(Fields fields) {
    std::size_t size = 0;
    for (const auto field : fields) {
        if (field.size() > std::numeric_limits<std::uint32_t>::max())
            throw std::length_error{"a field is too long"};
        size += field_prefix_size + field.size();
    }
    return size;
}

void join_into(std::span<unsigned char> out, Fields fields) {
    if (joined_size(fields) > out.size()) throw std::length_error{"no room for the fields"};
    auto* at = out.data();
    for (const auto field : fields) {
        at = write_length(at, field.size());
        at = std::copy(field.begin(), field.end(), at);
    }
}

std::string joined(Fields fields) {
    std::string out(joined_size(fields), '\0');
    join_into({bytes_of(out), out.size()}, fields);
    return out;
}

} // namespace usershell::crypto
