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
    too_complex, ///< more CPU time or memory than allowed
    unusual,     ///< of a form that browsers do not show
    animated,
    trailing, ///< something follows the image's end
};

/// The CPU time of one decode, counted from construction.
class TimeBudget {
public:
    explicit TimeBudget(const DecodeLimits& limits)
        : clock_{limits.clock},
          end_{limits.clock() + limits.cpu_time} {}

    bool spent() const { return clock_() >= end_; }

private:
    std::chrono::nanoseconds (*clock_)();
    std::chrono::nanoseconds end_;
};

/// Of bytes that begin with the PNG signature.
Verdict check_png(std::string_view bytes, const DecodeLimits& limits);

/// Of bytes that begin with SOI.
Verdict check_jpeg(std::string_view bytes, const DecodeLimits& limits);

} // namespace usershell::images
