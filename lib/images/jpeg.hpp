// JPEG: a full decode by libjpeg-turbo.
#pragma once

#include <string>
#include <string_view>

namespace usershell::images {

/// Empty when `bytes` (which begin with SOI) are one whole JPEG within the limits.
std::string jpeg_error(std::string_view bytes);

} // namespace usershell::images
