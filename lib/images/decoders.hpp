// The two decoders behind check_image(), for this library only. Nothing of a decoded picture is
// kept: only whether it could be decoded.
#pragma once

#include "images/image.hpp"

#include <string_view>

namespace usershell::images {

enum class Verdict {
    good,
    damaged,
    too_large,   ///< more pixels a side than allowed
    too_complex, ///< more work or memory than allowed
    unusual,     ///< of a form that browsers do not show
    animated,
    trailing, ///< something follows the image's end
};

/// Of bytes that begin with the PNG signature.
Verdict check_png(std::string_view bytes);

/// Of bytes that begin with SOI.
Verdict check_jpeg(std::string_view bytes, const DecodeLimits& limits);

} // namespace usershell::images
