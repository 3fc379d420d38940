#include "tests/unit/images/jpeg_file.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string_view>

#include <jpeglib.h>

namespace usershell::test {
namespace {

[[noreturn]] void on_error(j_common_ptr jpeg) {
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    throw std::runtime_error{text};
}

struct Spaces {
    J_COLOR_SPACE in;
    J_COLOR_SPACE stored;
    int components;
};

Spaces spaces_of(JpegStyle::Colours colours) {
    using Colours = JpegStyle::Colours;
    static const std::map<Colours, Spaces> all{
        {Colours::grey, {JCS_GRAYSCALE, JCS_GRAYSCALE, 1}},
        {Colours::ycbcr, {JCS_RGB, JCS_YCbCr, 3}},
        {Colours::rgb, {JCS_RGB, JCS_RGB, 3}},
        {Colours::cmyk, {JCS_CMYK, JCS_CMYK, 4}},
        {Colours::ycck, {JCS_CMYK, JCS_YCCK, 4}},
    };
    return all.at(colours);
}

/// The means of all colours, then coefficient by coefficient: a scan of nothing but zeros is a few
/// bytes, and as much work as any other.
std::vector<jpeg_scan_info> script(int scans, int components) {
    std::vector<jpeg_scan_info> all;
    if (scans == 0) return all;
    all.push_back({components, {0, 1, 2, 3}, 0, 0, 0, 0});
    for (int coefficient = 1; coefficient < DCTSIZE2; ++coefficient)
        for (int component = 0; component < components; ++component)
            all.push_back({1, {component}, coefficient, coefficient, 0, 0});
    all.resize(static_cast<std::size_t>(scans));
    return all;
}

unsigned byte_at(std::string_view bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes.at(at));
}

} // namespace

std::string jpeg_picture(unsigned width, unsigned height, const JpegStyle& style) {
    const Spaces spaces = spaces_of(style.colours);
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    errors.error_exit = on_error;
    jpeg_create_compress(&jpeg);
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = width;
    jpeg.image_height = height;
    jpeg.input_components = spaces.components;
    jpeg.in_color_space = spaces.in;
    jpeg_set_defaults(&jpeg);
    jpeg_set_colorspace(&jpeg, spaces.stored);
    jpeg_set_quality(&jpeg, 90, TRUE);
    jpeg.optimize_coding = style.arithmetic ? FALSE : TRUE; // a matter of Huffman codes
    jpeg.arith_code = style.arithmetic ? TRUE : FALSE;
    jpeg.restart_interval = style.restart_interval;
    if (!style.subsampled)
        for (int i = 0; i < jpeg.num_components; ++i)
            jpeg.comp_info[i].h_samp_factor = jpeg.comp_info[i].v_samp_factor = 1;
    const auto scans = script(style.scans, spaces.components);
    if (style.progressive) jpeg_simple_progression(&jpeg);
    if (style.scans != 0) {
        jpeg.scan_info = scans.data();
        jpeg.num_scans = style.scans;
    }
    jpeg_start_compress(&jpeg, TRUE);
    for (const auto& [marker, data] : style.markers)
        jpeg_write_marker(&jpeg, marker, reinterpret_cast<const JOCTET*>(data.data()),
                          static_cast<unsigned>(data.size()));
    std::vector<JSAMPLE> row(std::size_t{width} * static_cast<std::size_t>(spaces.components));
    for (unsigned y = 0; y < height; ++y) {
        if (!style.plain)
            for (std::size_t x = 0; x < row.size(); ++x)
                row[x] = static_cast<JSAMPLE>((y * 31UL + x * 17UL) ^ (x * y));
        JSAMPROW line = row.data();
        jpeg_write_scanlines(&jpeg, &line, 1);
    }
    jpeg_finish_compress(&jpeg);
    std::string file{reinterpret_cast<const char*>(bytes), size};
    jpeg_destroy_compress(&jpeg);
    std::free(bytes);
    return file;
}

std::string with_dimensions(std::string jpeg, unsigned width, unsigned height) {
    std::size_t at = 2; // segment by segment to SOF0, SOF1 or SOF2
    while (byte_at(jpeg, at + 1) < 0xc0 || byte_at(jpeg, at + 1) > 0xc2)
        at += 2 + byte_at(jpeg, at + 2) * 256 + byte_at(jpeg, at + 3);
    const unsigned values[] = {height >> 8U, height & 0xffU, width >> 8U, width & 0xffU};
    for (std::size_t i = 0; i < 4; ++i) jpeg[at + 5 + i] = static_cast<char>(values[i]);
    return jpeg;
}

} // namespace usershell::test
