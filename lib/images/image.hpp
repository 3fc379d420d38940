// Checks that uploaded bytes are a picture: PNG and JPEG are recognised by their first bytes and
// decoded to the end by libpng and libjpeg-turbo, so that what is stored and served is an image and
// nothing else. All decoding of strangers' bytes is in this folder.
//
// A file of 256 KiB can ask for seconds of work and 130 MB, so that decoding is bounded three
// ways: work and memory of one picture (DecodeLimits), and how many are decoded at a time (every
// check asks for a permit). Work is counted, not timed: a slow or busy machine refuses no picture
// that another one takes. Any thread may call.
#pragma once

#include "base/sentence.hpp"
#include "runtime/permits.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace usershell::images {

/// The cost limits of one picture. A progressive JPEG of the largest size, in ten scans, has 2.5
/// million blocks, or 4.4 million without subsampling; it keeps two bytes for every sample. A PNG
/// has the work of its rows, which its size bounds.
struct DecodeLimits {
    std::size_t blocks = std::size_t{8} * 1024 * 1024;  ///< of a JPEG, counted again in each scan
    std::size_t memory = std::size_t{64} * 1024 * 1024; ///< bytes, of a JPEG's coefficients
};

struct ImageCheck {
    std::string media_type; ///< image/png or image/jpeg; empty when refused
    Sentence error;         ///< when refused

    bool ok() const { return error.empty(); }
};

/// Refuses: other formats, broken or cut-off data, more than rules::max_avatar_side a side,
/// animated PNG, bytes after the image's end (a second file riding along), JPEGs of hundreds of
/// scans, PNGs with more than a little data behind their rows, and what costs more than `limits`.
ImageCheck check_image(const Permits::Permit& permit, std::string_view bytes,
                       const DecodeLimits& limits = {});

// The two decoders behind check_image(), for this library only. Nothing of a decoded picture is
// kept: only whether it could be decoded.

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
