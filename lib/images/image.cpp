#include "images/image.hpp"

#include "images/jpeg.hpp"
#include "images/png.hpp"

namespace usershell::images {

ImageCheck check_image(std::string_view bytes) {
    constexpr std::string_view png_signature{"\x89PNG\r\n\x1a\n", 8};
    constexpr std::string_view jpeg_start{"\xff\xd8\xff", 3};
    if (bytes.starts_with(png_signature)) return {"image/png", png_error(bytes)};
    if (bytes.starts_with(jpeg_start)) return {"image/jpeg", jpeg_error(bytes)};
    return {"", "This is neither a PNG nor a JPEG picture."};
}

} // namespace usershell::images
