#include "images/jpeg.hpp"

#include "images/image.hpp"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <mutex>
#include <vector>

// These need size_t and FILE declared before them.
#include <jerror.h>
#include <jpeglib.h>

namespace usershell::images {
namespace {

constexpr int max_scans = 100; ///< progressive encoders write about ten

/// Warnings about headers that do no harm to the picture. All others mean that data is missing or
/// wrong, and libjpeg would go on with grey.
constexpr std::array<int, 3> harmless_warnings{JWRN_JFIF_MAJOR, JWRN_ADOBE_XFORM,
                                               JWRN_NOT_SEQUENTIAL};

/// libjpeg reports failure by a call that must not return: it jumps back to decode(), which has no
/// object with a destructor alive at that point.
struct Decoder {
    jpeg_decompress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg_progress_mgr progress{};
    std::jmp_buf failed{};
};

Decoder& decoder_of(j_common_ptr jpeg) { return *static_cast<Decoder*>(jpeg->client_data); }

[[noreturn]] void fail(j_common_ptr jpeg) {
    std::longjmp(decoder_of(jpeg).failed, 1); // NOLINT(cert-err52-cpp)
}

void on_message(j_common_ptr jpeg, int level) {
    if (level >= 0) return; // a trace
    if (std::ranges::find(harmless_warnings, jpeg->err->msg_code) == harmless_warnings.end())
        fail(jpeg);
}

void be_silent(j_common_ptr) {}

void on_progress(j_common_ptr jpeg) {
    if (decoder_of(jpeg).jpeg.input_scan_number > max_scans) fail(jpeg);
}

enum class Outcome { good, damaged, too_large, unusual, trailing };

/// libjpeg turns every usual colour space into grey, which is the least work; but not these two.
J_COLOR_SPACE cheapest_output(J_COLOR_SPACE space) {
    return space == JCS_CMYK || space == JCS_YCCK ? JCS_CMYK : JCS_GRAYSCALE;
}

/// Reads every line into `row`, which has room for one.
Outcome decode(Decoder& decoder, std::string_view bytes, JSAMPLE* row) {
    jpeg_decompress_struct& jpeg = decoder.jpeg;
    if (setjmp(decoder.failed) != 0) { // NOLINT(cert-err52-cpp): libjpeg's own way
        return jpeg.err->msg_code == JERR_IMAGE_TOO_BIG ? Outcome::too_large : Outcome::damaged;
    }
    jpeg_create_decompress(&jpeg);
    jpeg.progress = &decoder.progress;
    jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()),
                 static_cast<unsigned long>(bytes.size()));
    jpeg_read_header(&jpeg, TRUE);
    if (std::max(jpeg.image_width, jpeg.image_height) > max_image_side) return Outcome::too_large;
    if (jpeg.arith_code != FALSE) return Outcome::unusual;
    jpeg.out_color_space = cheapest_output(jpeg.jpeg_color_space);
    jpeg_start_decompress(&jpeg);
    while (jpeg.output_scanline < jpeg.output_height) jpeg_read_scanlines(&jpeg, &row, 1);
    jpeg_finish_decompress(&jpeg);
    return jpeg.src->bytes_in_buffer == 0 ? Outcome::good : Outcome::trailing;
}

std::string sentence(Outcome outcome) {
    switch (outcome) {
    case Outcome::good:
        return {};
    case Outcome::damaged:
        break;
    case Outcome::too_large:
        return "A picture has at most 4,096 by 4,096 pixels.";
    case Outcome::unusual:
        return "This kind of JPEG picture can't be shown by browsers. Save it as a usual one.";
    case Outcome::trailing:
        return "There is something else behind this picture's end.";
    }
    return "This JPEG picture is damaged or cut off.";
}

} // namespace

std::string jpeg_error(std::string_view bytes) {
    // A progressive picture of the largest size is held in memory as 130 MB of coefficients.
    static std::mutex one_at_a_time;
    const std::scoped_lock lock{one_at_a_time};

    Decoder decoder;
    decoder.jpeg.err = jpeg_std_error(&decoder.errors);
    decoder.errors.error_exit = fail;
    decoder.errors.emit_message = on_message;
    decoder.errors.output_message = be_silent;
    decoder.jpeg.client_data = &decoder;
    decoder.progress.progress_monitor = on_progress;

    constexpr std::size_t max_components = 4;
    std::vector<JSAMPLE> row(max_components * max_image_side);
    const Outcome outcome = decode(decoder, bytes, row.data());
    jpeg_destroy_decompress(&decoder.jpeg);
    return sentence(outcome);
}

} // namespace usershell::images
