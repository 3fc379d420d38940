// A picture. The first byte: 0: bytes as they are; else the checksums of a PNG's chunks are put
// right, which a fuzzer can't.
#include "images/image.hpp"
#include "crypto/token.hpp"
#include "target.hpp"

#include <cstdint>

#include <zlib.h>

namespace {

using namespace usershell;

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i)
        number = number << 8U | static_cast<unsigned char>(bytes[at + i]);
    return number;
}

std::string with_checksums(std::string png) {
    constexpr std::size_t signature = 8;
    for (std::size_t at = signature; at + 12 <= png.size();) {
        const std::size_t size = number_at(png, at);
        if (size > png.size() - at - 12) break;
        const auto* const chunk = reinterpret_cast<const unsigned char*>(png.data()) + at + 4;
        const auto sum = ::crc32(0, chunk, static_cast<unsigned>(size) + 4);
        for (std::size_t i = 0; i < 4; ++i)
            png[at + 8 + size + i] = static_cast<char>(sum >> (24 - 8 * i));
        at += size + 12;
    }
    return png;
}

void run(std::string_view input) {
    static Permits permits{1, 0, {}};
    const auto permit = permits.take(*UserId::parse("5f6f1c0e-0000-4000-8000-000000000001"));
    fuzz::Input from{input};
    const bool is_raw = from.byte() == 0;
    const images::DecodeLimits limits{.blocks = std::size_t{64} * 1024,
                                      .memory = std::size_t{4} * 1024 * 1024};
    const std::string bytes{from.rest()};
    const auto check = images::check_image(permit, is_raw ? bytes : with_checksums(bytes), limits);
    fuzz::require(check.ok() == !check.media_type.empty(), "a picture has a type, or a fault");
}

// libpng holds rows of 4,096 pixels, libjpeg what the limit says.
const fuzz::Target target{"image", run, std::size_t{64} * 1024, std::size_t{16} * 1024 * 1024};

} // namespace
