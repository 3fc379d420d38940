// PNG: structure and a full decode by libpng.
#pragma once

#include <string>
#include <string_view>

namespace usershell::images {

/// Empty when `bytes` (which begin with the PNG signature) are one whole still PNG within the
/// limits.
std::string png_error(std::string_view bytes);

} // namespace usershell::images
