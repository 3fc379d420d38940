#include "tests/unit/images/pictures.hpp"
#include <cstdio>
#include <cstdlib>
#include <jpeglib.h>
#include <png.h>
#include <zlib.h>
namespace usershell::test {
namespace {
void draw(std::vector<unsigned char>& row, unsigned y) {
    for (std::size_t x = 0; x < row.size(); ++x)
        row[x] = static_cast<unsigned char>((y * 31UL + x * 17UL) ^ (x * y));
}
constexpr std::string_view signature{"\x89PNG\r\n\x1a\n", 8};
[[noreturn]] void on_error(png_structp, png_const_charp text) { throw std::runtime_error{text}; }
void on_warning(png_structp, png_const_charp) {}
void append(png_structp png, png_bytep bytes, std::size_t size) {
    static_cast<std::string*>(png_get_io_ptr(png))
        ->append(reinterpret_cast<const char*>(bytes), size);
}
void flush(png_structp) {}
void write_palette(png_structp png, png_infop info, int depth) {
    std::array<png_color, 256> colours{};
    for (std::size_t i = 0; i < colours.size(); ++i) {
        const auto level = static_cast<png_byte>(i);
        colours[i] = {level, static_cast<png_byte>(255 - level), 77};
    }
    png_set_PLTE(png, info, colours.data(), 1 << depth);
}
std::string deflated(const std::string& bytes) {
    uLongf size = compressBound(bytes.size());
    std::string stream(size, '\0');
    const int result = compress2(reinterpret_cast<Bytef*>(stream.data()), &size,
                                 reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 9);
    BOOST_REQUIRE(result == Z_OK);
    stream.resize(size);
    return stream;
}
std::string png_of_rows(unsigned side, char depth, char colour_type, const std::string& rows) {
    const std::string header = big_endian(side) + big_endian(side) + depth + colour_type;
    return png_of(
        {{"IHDR", header + std::string(3, '\0')}, {"IDAT", deflated(rows)}, {"IEND", ""}});
}
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
/// The means of all colours, then coefficient by coefficient: scans of zeros, small and much work.
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
std::string png_picture(unsigned width, unsigned height, int colour_type, int depth,
                        bool interlaced, bool plain) {
    std::string file;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, on_error, on_warning);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(png, &file, append, flush);
    png_set_IHDR(png, info, width, height, depth, colour_type,
                 interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE,
                 PNG_FILTER_TYPE_BASE);
    if (colour_type == PNG_COLOR_TYPE_PALETTE) write_palette(png, info, depth);
    png_write_info(png, info);
    const int passes = png_set_interlace_handling(png);
    std::vector<png_byte> row(png_get_rowbytes(png, info));
    for (int pass = 0; pass < passes; ++pass) {
        for (unsigned y = 0; y < height; ++y) {
            if (!plain) draw(row, y);
            png_write_row(png, row.data());
        }
    }
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &info);
    return file;
}
std::string heavy_png() {
    constexpr std::size_t side = 4096;
    constexpr std::size_t row_size = 1 + side * 8;
    constexpr char paeth = 4;
    std::string rows(row_size * side, '\0');
    for (std::size_t row = 0; row < side; ++row) rows[row * row_size] = paeth;
    return png_of_rows(side, 16, PNG_COLOR_TYPE_RGBA, rows);
}
std::string png_with_data_behind_its_rows() {
    return png_of_rows(1, 8, PNG_COLOR_TYPE_GRAY, std::string(std::size_t{64} << 20U, '\0'));
}
std::string big_endian(std::uint32_t value) {
    std::string bytes;
    for (unsigned shift = 32; shift > 0; shift -= 8)
        bytes += static_cast<char>((value >> (shift - 8)) & 0xffU);
    return bytes;
}
std::vector<PngChunk> png_chunks(std::string_view png) {
    BOOST_REQUIRE(png.starts_with(signature));
    png.remove_prefix(signature.size());
    std::vector<PngChunk> chunks;
    while (!png.empty()) {
        std::size_t length = 0;
        for (const char c : png.substr(0, 4)) length = length << 8U | static_cast<unsigned char>(c);
        chunks.push_back({std::string{png.substr(4, 4)}, std::string{png.substr(8, length)}});
        png.remove_prefix(12 + length);
    }
    return chunks;
}
std::string png_of(const std::vector<PngChunk>& chunks) {
    std::string file{signature};
    for (const PngChunk& chunk : chunks) {
        const std::string checked = chunk.type + chunk.data;
        const auto crc = crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                               static_cast<uInt>(checked.size()));
        file += big_endian(static_cast<std::uint32_t>(chunk.data.size())) + checked +
                big_endian(static_cast<std::uint32_t>(crc));
    }
    return file;
}
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
        if (!style.plain) draw(row, y);
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
