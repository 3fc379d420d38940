// Pictures for the tests: JPEG by libjpeg, good PNG by libpng, other PNG chunk by chunk.
#pragma once
#include "tests/unit/test.hpp"
#include <cstdint>
namespace usershell::test {
/// Random-looking pixels, or `plain`, all of one colour, which compresses well.
std::string png_picture(unsigned width, unsigned height, int colour_type, int depth,
                        bool interlaced = false, bool plain = false);
struct PngChunk {
    std::string type, data;
};
std::vector<PngChunk> png_chunks(std::string_view png);
std::string png_of(const std::vector<PngChunk>& chunks);
std::string big_endian(std::uint32_t value);
/// 16 bits RGBA at 4,096 by 4,096 by the costliest filter: 128 MiB of zeros in 138 KB.
std::string heavy_png();
/// A grey picture of one pixel with 64 MiB behind it in the same stream.
std::string png_with_data_behind_its_rows();
struct JpegStyle {
    enum class Colours { grey, ycbcr, rgb, cmyk, ycck } colours = Colours::ycbcr;
    bool progressive = false;
    bool arithmetic = false;
    bool subsampled = true;
    unsigned restart_interval = 0;
    int scans = 0;      ///< progressive: exactly so many, after the first of one coefficient each
    bool plain = false; ///< one colour: compresses well at any size
    std::vector<std::pair<int, std::string>> markers{}; ///< APPn and COM segments
};
std::string jpeg_picture(unsigned width, unsigned height, const JpegStyle& style);
std::string with_dimensions(std::string jpeg, unsigned width, unsigned height);
inline constexpr int marker_app1 = 0xe1;
inline constexpr int marker_app2 = 0xe2;
inline constexpr int marker_comment = 0xfe;
} // namespace usershell::test
