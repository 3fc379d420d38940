// Is this really a picture? PNG and JPEG told by their bytes and decoded fully within limits
// (libpng, libjpeg-turbo), so that what is stored and served is an image and nothing else. Pure;
// any thread may call.
#pragma once

#include <string>
#include <string_view>

namespace usershell::images {

inline constexpr unsigned max_image_side = 4096; ///< pixels

struct ImageCheck {
    std::string media_type; ///< image/png or image/jpeg; empty when refused
    std::string error;      ///< a sentence, when refused

    bool ok() const { return error.empty(); }
};

/// Refuses: other formats, broken or cut-off data, more than max_image_side a side, animated PNG,
/// bytes after the image's end (a second file riding along), JPEGs of hundreds of scans (small to
/// store, endless to decode).
ImageCheck check_image(std::string_view bytes);

} // namespace usershell::images
