#include "images/png.hpp"

#include "images/image.hpp"

#include <png.h>

#include <algorithm>
#include <csetjmp>

namespace usershell::images {
namespace {

constexpr const char* broken = "This PNG picture is damaged or cut off.";
constexpr std::size_t signature_size = 8;
constexpr std::size_t chunk_overhead = 12; ///< length, type, checksum
constexpr std::size_t header_end = signature_size + chunk_overhead + 13;

std::size_t big_endian(std::string_view bytes, std::size_t at) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value = (value << 8U) | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

/// Walks the chunks to IEND: whole, still, nothing after it (PNG, third edition, section 5).
std::string structure_error(std::string_view bytes) {
    std::size_t at = signature_size;
    while (bytes.size() - at >= chunk_overhead) {
        const std::size_t length = big_endian(bytes, at);
        const std::string_view type = bytes.substr(at + 4, 4);
        if (length > bytes.size() - at - chunk_overhead) return broken;
        at += chunk_overhead + length;
        if (type == "acTL") return "Animated pictures can't be used.";
        if (type == "IEND") {
            return at == bytes.size() ? "" : "There is something else behind this picture's end.";
        }
    }
    return broken;
}

/// Width and height, first in IHDR, which is first in the file; libpng checks the rest.
bool too_large(std::string_view bytes) {
    return bytes.size() > header_end &&
           std::max(big_endian(bytes, signature_size + 8), big_endian(bytes, signature_size + 12)) >
               max_image_side;
}

/// libpng reports failure by a call that must not return: it jumps back to decode(), which has no
/// object with a destructor alive at that point.
struct Decoder {
    std::string_view rest; ///< what has not been read yet
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::jmp_buf failed{};
};

[[noreturn]] void fail(png_structp png, png_const_charp) {
    auto& decoder = *static_cast<Decoder*>(png_get_error_ptr(png));
    std::longjmp(decoder.failed, 1); // NOLINT(cert-err52-cpp): libpng's own way
}

/// A warning is about something that a viewer can do without.
void ignore(png_structp, png_const_charp) {}

void read(png_structp png, png_bytep to, std::size_t size) {
    std::string_view& rest = static_cast<Decoder*>(png_get_io_ptr(png))->rest;
    if (size > rest.size()) ::png_error(png, "cut off");
    std::copy_n(rest.begin(), size, to);
    rest.remove_prefix(size);
}

/// Every row of every pass, thrown away as it comes: no memory but libpng's own two rows. Of the
/// other chunks only PLTE and tRNS are looked into: what is wrong with a colour profile or a
/// comment is no reason to refuse a picture.
bool decode(Decoder& decoder) {
    if (setjmp(decoder.failed) != 0) return false; // NOLINT(cert-err52-cpp)
    decoder.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, fail, ignore);
    if (decoder.png == nullptr) return false;
    decoder.info = png_create_info_struct(decoder.png);
    png_set_read_fn(decoder.png, &decoder, read);
    png_set_user_limits(decoder.png, max_image_side, max_image_side);
    png_set_keep_unknown_chunks(decoder.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_read_info(decoder.png, decoder.info);
    const auto passes = static_cast<unsigned>(png_set_interlace_handling(decoder.png));
    png_read_update_info(decoder.png, decoder.info);
    const unsigned rows = passes * png_get_image_height(decoder.png, decoder.info);
    for (unsigned row = 0; row < rows; ++row) png_read_row(decoder.png, nullptr, nullptr);
    png_read_end(decoder.png, nullptr);
    return true;
}

} // namespace

std::string png_error(std::string_view bytes) {
    if (std::string error = structure_error(bytes); !error.empty()) return error;
    if (too_large(bytes)) return "A picture has at most 4,096 by 4,096 pixels.";
    Decoder decoder{bytes};
    const bool good = decode(decoder);
    png_destroy_read_struct(&decoder.png, &decoder.info, nullptr);
    return good ? "" : broken;
}

} // namespace usershell::images
