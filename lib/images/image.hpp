// Checks that uploaded bytes are a picture: PNG and JPEG are recognised by their first bytes and
// decoded to the end by libpng and libjpeg-turbo, so that what is stored and served is an image and
// nothing else. All decoding of strangers' bytes is in this library.
//
// A file of 256 KiB can ask for a second of work and 130 MB, so that decoding is bounded three
// ways: CPU time and memory of one picture (DecodeLimits), and how many are decoded at a time
// (every check asks for a permit). Any thread may call.
#pragma once

#include "base/sentence.hpp"
#include "runtime/permits.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace usershell::images {

/// CPU time that the calling thread has used (CLOCK_THREAD_CPUTIME_ID): it does not run while the
/// thread waits for a processor, so that a busy machine refuses no more pictures than an idle one.
std::chrono::nanoseconds thread_cpu_time();

/// The cost limits of one picture. Ordinary pictures of the largest size take half of the time at
/// most and less than the memory; a progressive JPEG keeps two bytes for every sample.
struct DecodeLimits {
    std::chrono::nanoseconds cpu_time = std::chrono::milliseconds{250};
    std::size_t memory = std::size_t{64} * 1024 * 1024;    ///< bytes, of a JPEG's coefficients
    std::chrono::nanoseconds (*clock)() = thread_cpu_time; ///< another one in tests
};

struct ImageCheck {
    std::string media_type; ///< image/png or image/jpeg; empty when refused
    Sentence error;         ///< when refused

    bool ok() const { return error.empty(); }
};

/// Refuses: other formats, broken or cut-off data, more than rules::max_avatar_side a side,
/// animated PNG, bytes after the image's end (a second file riding along), JPEGs of hundreds of
/// scans, and what costs more than `limits`, which are looked at between rows and between pieces of
/// the input: the time is exceeded by some milliseconds at most.
ImageCheck check_image(const Permits::Permit& permit, std::string_view bytes,
                       const DecodeLimits& limits = {});

} // namespace usershell::images
