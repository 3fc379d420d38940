#include "domain/rules.hpp"
#include "images/image.hpp"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <vector>

// These need size_t and FILE declared before them.
#include <jerror.h>
#include <jpeglib.h>

namespace usershell::images {
namespace {

constexpr int max_scans = 100; ///< progressive encoders write about ten

/// Warnings about what does no harm to the picture: odd headers, and bytes before a marker, which
/// every browser skips. All others mean that data is missing or wrong, and libjpeg would go on with
/// grey.
constexpr std::array<int, 4> harmless_warnings{JWRN_JFIF_MAJOR, JWRN_ADOBE_XFORM,
                                               JWRN_NOT_SEQUENTIAL, JWRN_EXTRANEOUS_DATA};

/// libjpeg reports failure by a call that must not return: it jumps back to decode(), which has no
/// object with a destructor alive at that point.
struct Decoder {
    std::size_t blocks_left;
    int scan = 0;                       ///< whose blocks are counted
    Verdict verdict = Verdict::damaged; ///< why it failed, if it does
    jpeg_decompress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg_progress_mgr progress{};
    std::jmp_buf failed{};
};

Decoder& decoder_of(j_common_ptr jpeg) { return *static_cast<Decoder*>(jpeg->client_data); }

[[noreturn]] void fail(j_common_ptr jpeg) {
    std::longjmp(decoder_of(jpeg).failed, 1); // NOLINT(cert-err52-cpp)
}

void on_error(j_common_ptr jpeg) {
    Verdict& verdict = decoder_of(jpeg).verdict;
    if (jpeg->err->msg_code == JERR_IMAGE_TOO_BIG) verdict = Verdict::too_large;
    if (jpeg->err->msg_code == JERR_NO_BACKING_STORE) verdict = Verdict::too_complex;
    fail(jpeg);
}

void on_message(j_common_ptr jpeg, int level) {
    if (level >= 0) return; // a trace
    if (std::ranges::find(harmless_warnings, jpeg->err->msg_code) == harmless_warnings.end())
        fail(jpeg);
}

void ignore(j_common_ptr) {}

/// Called for every row of blocks of every scan. The whole scan is paid for when it begins.
void on_progress(j_common_ptr jpeg) {
    Decoder& decoder = decoder_of(jpeg);
    const jpeg_decompress_struct& picture = decoder.jpeg;
    if (picture.input_scan_number == decoder.scan) return;
    decoder.scan = picture.input_scan_number;
    const std::size_t blocks = std::size_t{picture.MCUs_per_row} * picture.MCU_rows_in_scan *
                               static_cast<std::size_t>(picture.blocks_in_MCU);
    if (blocks <= decoder.blocks_left && decoder.scan <= max_scans) {
        decoder.blocks_left -= blocks;
        return;
    }
    decoder.verdict = Verdict::too_complex;
    fail(jpeg);
}

/// libjpeg turns every usual colour space into grey, which is the least work; but not these two.
J_COLOR_SPACE cheapest_output(J_COLOR_SPACE space) {
    return space == JCS_CMYK || space == JCS_YCCK ? JCS_CMYK : JCS_GRAYSCALE;
}

/// Every code is read and judged; of the pixels only one in 64 is computed, because a wrong pixel
/// is no error.
void ask_for_the_least(jpeg_decompress_struct& jpeg, const DecodeLimits& limits) {
    jpeg.out_color_space = cheapest_output(jpeg.jpeg_color_space);
    jpeg.scale_num = 1;
    jpeg.scale_denom = DCTSIZE;
    jpeg.do_fancy_upsampling = FALSE;
    jpeg.do_block_smoothing = FALSE;
    jpeg.mem->max_memory_to_use = static_cast<long>(limits.memory);
}

/// Reads every line into `row`, which has room for one.
Verdict decode(Decoder& decoder, std::string_view bytes, const DecodeLimits& limits, JSAMPLE* row) {
    jpeg_decompress_struct& jpeg = decoder.jpeg;
    // NOLINTNEXTLINE(cert-err52-cpp): libjpeg's own way
    if (setjmp(decoder.failed) != 0) return decoder.verdict;
    jpeg_create_decompress(&jpeg);
    jpeg.progress = &decoder.progress;
    jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()),
                 static_cast<unsigned long>(bytes.size()));
    jpeg_read_header(&jpeg, TRUE);
    if (std::max(jpeg.image_width, jpeg.image_height) > rules::max_avatar_side)
        return Verdict::too_large;
    if (jpeg.arith_code != FALSE) return Verdict::unusual;
    ask_for_the_least(jpeg, limits);
    jpeg_start_decompress(&jpeg);
    while (jpeg.output_scanline < jpeg.output_height) jpeg_read_scanlines(&jpeg, &row, 1);
    jpeg_finish_decompress(&jpeg);
    return jpeg.src->bytes_in_buffer == 0 ? Verdict::good : Verdict::trailing;
}

} // namespace

Verdict check_jpeg(std::string_view bytes, const DecodeLimits& limits) {
    Decoder decoder{limits.blocks};
    decoder.jpeg.err = jpeg_std_error(&decoder.errors);
    decoder.errors.error_exit = on_error;
    decoder.errors.emit_message = on_message;
    decoder.errors.output_message = ignore;
    decoder.jpeg.client_data = &decoder;
    decoder.progress.progress_monitor = on_progress;

    constexpr std::size_t max_components = 4;
    std::vector<JSAMPLE> row(max_components * rules::max_avatar_side);
    const Verdict verdict = decode(decoder, bytes, limits, row.data());
    jpeg_destroy_decompress(&decoder.jpeg);
    return verdict;
}

} // namespace usershell::images
