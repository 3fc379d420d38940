// A QR code as the path of a picture, by libqrencode. Pure; any thread may call.
#pragma once

#include <string>

namespace usershell::auth {

struct QrCode {
    std::string path; ///< of SVG: the dark squares, each of size 1
    int size = 0;     ///< of a side
};
/// Throws Error for a text that is too long.
QrCode qr_code(const std::string& text);

} // namespace usershell::auth
