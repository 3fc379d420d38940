#include "domain/rules.hpp"
#include "images/image.hpp"

#include <png.h>

#include <algorithm>
#include <csetjmp>

namespace usershell::images {
namespace {

constexpr std::size_t signature_size = 8;
constexpr std::size_t chunk_overhead = 12; ///< length, type, checksum
constexpr std::size_t header_end = signature_size + chunk_overhead + 13;

std::size_t big_endian(std::string_view bytes, std::size_t at) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value = (value << 8U) | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

/// The last chunk's type and checksum; libpng 1.6.48 no longer looks at them.
constexpr std::string_view file_end = "IEND\xae\x42\x60\x82";

/// Walks the chunks to IEND (PNG, third edition, section 5).
Verdict check_structure(std::string_view bytes) {
    std::size_t at = signature_size;
    while (bytes.size() - at >= chunk_overhead) {
        const std::size_t length = big_endian(bytes, at);
        const std::string_view type = bytes.substr(at + 4, 4);
        if (length > bytes.size() - at - chunk_overhead) return Verdict::damaged;
        at += chunk_overhead + length;
        if (type == "acTL") return Verdict::animated;
        if (type != "IEND") continue;
        if (at != bytes.size()) return Verdict::trailing;
        return bytes.ends_with(file_end) ? Verdict::good : Verdict::damaged;
    }
    return Verdict::damaged;
}

/// Where the last IDAT of a file of good structure ends.
std::size_t end_of_pixels(std::string_view bytes) {
    std::size_t end = 0;
    for (std::size_t at = signature_size; bytes.size() - at >= chunk_overhead;) {
        const bool has_pixels = bytes.substr(at + 4, 4) == "IDAT";
        at += chunk_overhead + big_endian(bytes, at);
        if (has_pixels) end = at;
    }
    return end;
}

/// Width and height, first in IHDR, which is first in the file; libpng checks the rest.
bool too_large(std::string_view bytes) {
    return bytes.size() > header_end &&
           std::max(big_endian(bytes, signature_size + 8), big_endian(bytes, signature_size + 12)) >
               rules::max_avatar_side;
}

/// libpng reports failure by a call that must not return: it jumps back to decode(), which has no
/// object with a destructor alive at that point.
struct Decoder {
    std::string_view rest;              ///< what has not been read yet
    Verdict verdict = Verdict::damaged; ///< why it failed, if it does
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::jmp_buf failed{};
};

[[noreturn]] void fail(png_structp png, png_const_charp) {
    auto& decoder = *static_cast<Decoder*>(png_get_error_ptr(png));
    std::longjmp(decoder.failed, 1); // NOLINT(cert-err52-cpp): libpng's own way
}

/// Warnings are ignored: they are about parts that a viewer can do without.
void ignore(png_structp, png_const_charp) {}

/// Before the last row. libpng inflates the bytes behind it, too, a thousand times as much as
/// there is, and throws it away. A good encoder writes only a checksum there; so a piece of
/// libpng's reading, 8 KiB, is more than enough.
void check_rest(Decoder& decoder, std::string_view bytes) {
    const std::size_t most = png_get_rowbytes(decoder.png, decoder.info) + 8192;
    const std::size_t at = bytes.size() - decoder.rest.size();
    if (end_of_pixels(bytes) <= at + most) return;
    decoder.verdict = Verdict::too_complex;
    ::png_error(decoder.png, "too much work");
}

void read(png_structp png, png_bytep to, std::size_t size) {
    auto& decoder = *static_cast<Decoder*>(png_get_io_ptr(png));
    if (size > decoder.rest.size()) ::png_error(png, "cut off");
    std::copy_n(decoder.rest.begin(), size, to);
    decoder.rest.remove_prefix(size);
}

/// Every row of every pass, thrown away as it comes: no memory but libpng's own two rows. Of the
/// other chunks only PLTE and tRNS are looked into: what is wrong with a colour profile or a
/// comment is no reason to refuse a picture.
bool decode(Decoder& decoder, std::string_view bytes) {
    if (setjmp(decoder.failed) != 0) return false; // NOLINT(cert-err52-cpp)
    decoder.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, fail, ignore);
    if (decoder.png == nullptr) return false;
    decoder.info = png_create_info_struct(decoder.png);
    png_set_read_fn(decoder.png, &decoder, read);
    png_set_user_limits(decoder.png, rules::max_avatar_side, rules::max_avatar_side);
    png_set_keep_unknown_chunks(decoder.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_read_info(decoder.png, decoder.info);
    const auto passes = static_cast<unsigned>(png_set_interlace_handling(decoder.png));
    png_read_update_info(decoder.png, decoder.info);
    const unsigned rows = passes * png_get_image_height(decoder.png, decoder.info);
    for (unsigned row = 0; row < rows; ++row) {
        if (row + 1 == rows) check_rest(decoder, bytes);
        png_read_row(decoder.png, nullptr, nullptr);
    }
    png_read_end(decoder.png, nullptr);
    return true;
}

} // namespace

Verdict check_png(std::string_view bytes) {
    if (const Verdict verdict = check_structure(bytes); verdict != Verdict::good) return verdict;
    if (too_large(bytes)) return Verdict::too_large;
    Decoder decoder{bytes};
    const bool good = decode(decoder, bytes);
    png_destroy_read_struct(&decoder.png, &decoder.info, nullptr);
    return good ? Verdict::good : decoder.verdict;
}

} // namespace usershell::images
