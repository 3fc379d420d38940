// PNG files for the tests: good ones by libpng, bad ones by taking good ones apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::test {

/// A picture of random-looking pixels. `colour_type` and `depth` as in the PNG specification.
std::string png_picture(unsigned width, unsigned height, int colour_type, int depth,
                        bool interlaced = false);

/// All of one colour: compresses well at any size.
std::string plain_png(unsigned width, unsigned height);

struct PngChunk {
    std::string type;
    std::string data;
};
std::vector<PngChunk> png_chunks(std::string_view png);

/// Signature, chunks with lengths and checksums.
std::string png_of(const std::vector<PngChunk>& chunks);

/// The bytes of a number as PNG writes them.
std::string big_endian(std::uint32_t value);

} // namespace usershell::test
