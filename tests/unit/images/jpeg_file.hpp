// JPEG files for the tests, by libjpeg.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace usershell::test {

/// How a picture is written.
struct JpegStyle {
    enum class Colours { grey, ycbcr, rgb, cmyk, ycck } colours = Colours::ycbcr;
    bool progressive = false;
    bool arithmetic = false;
    bool subsampled = true;
    unsigned restart_interval = 0;
    int scans = 0;      ///< progressive: in exactly so many scans, the first for all colours' means
                        ///< and the others for one coefficient each
    bool plain = false; ///< one colour: compresses well at any size
    std::vector<std::pair<int, std::string>> markers{}; ///< APPn and COM segments
};

std::string jpeg_picture(unsigned width, unsigned height, const JpegStyle& style);

/// The same file with other dimensions in its frame header.
std::string with_dimensions(std::string jpeg, unsigned width, unsigned height);

inline constexpr int marker_app1 = 0xe1;
inline constexpr int marker_app2 = 0xe2;
inline constexpr int marker_comment = 0xfe;

} // namespace usershell::test
