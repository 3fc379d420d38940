#include "auth/factors/qr_code.hpp"

#include "base/error.hpp"

#include <memory>
#include <span>

#include <qrencode.h>

namespace usershell::auth {

QrCode qr_code(const std::string& text) {
    const std::unique_ptr<QRcode, decltype(&QRcode_free)> code{
        QRcode_encodeString8bit(text.c_str(), 0, QR_ECLEVEL_M), &QRcode_free};
    if (!code) throw Error{"a text does not fit into a QR code"};
    QrCode drawn{{}, code->width};
    const auto side = static_cast<std::size_t>(code->width);
    const std::span<const unsigned char> squares{code->data, side * side};
    for (std::size_t at = 0; at < squares.size(); ++at)
        if ((squares[at] & 1U) != 0)
            drawn.path +=
                "M" + std::to_string(at % side) + " " + std::to_string(at / side) + "h1v1h-1z";
    return drawn;
}

} // namespace usershell::auth
