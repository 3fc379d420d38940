#include "tests/unit/images/png_file.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <stdexcept>

#include <png.h>

namespace usershell::test {
namespace {

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

template <class Fill>
std::string written(unsigned width, unsigned height, int colour_type, int depth, bool interlaced,
                    Fill fill) {
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
            for (std::size_t x = 0; x < row.size(); ++x) row[x] = fill(y, x);
            png_write_row(png, row.data());
        }
    }
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &info);
    return file;
}

/// PNG, third edition, annex D; bit by bit.
std::uint32_t checksum(std::string_view bytes) {
    std::uint32_t crc = 0xffffffffU;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc & 1U) != 0 ? 0xedb88320U ^ (crc >> 1U) : crc >> 1U;
    }
    return ~crc;
}

} // namespace

std::string png_picture(unsigned width, unsigned height, int colour_type, int depth,
                        bool interlaced) {
    return written(width, height, colour_type, depth, interlaced, [](unsigned y, std::size_t x) {
        return static_cast<png_byte>((y * 31U + x * 17U) ^ (x * y));
    });
}

std::string plain_png(unsigned width, unsigned height) {
    return written(width, height, PNG_COLOR_TYPE_GRAY, 1, false,
                   [](unsigned, std::size_t) { return png_byte{0}; });
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
        file += big_endian(static_cast<std::uint32_t>(chunk.data.size()));
        file += chunk.type + chunk.data;
        file += big_endian(checksum(chunk.type + chunk.data));
    }
    return file;
}

} // namespace usershell::test
