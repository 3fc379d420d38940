#include "images/image.hpp"

#include "base/text.hpp"
#include "domain/rules.hpp"

namespace usershell::images {
namespace {

Sentence sentence(Verdict verdict) {
    switch (verdict) {
    case Verdict::good:
        return {};
    case Verdict::damaged:
        break;
    case Verdict::too_large:
        return {"A picture has at most {side} by {side} pixels."_en,
                {{"side", grouped(rules::max_avatar_side)}}};
    case Verdict::too_complex:
        return "This picture takes too much work to check. Save it with fewer pixels."_en;
    case Verdict::unusual:
        return "Browsers can’t show this kind of JPEG. Save it as a standard one."_en;
    case Verdict::animated:
        return "Animated pictures can’t be used."_en;
    case Verdict::trailing:
        return "This picture has extra data after its end."_en;
    }
    return "This picture is damaged or cut off."_en;
}

ImageCheck result(const char* media_type, Verdict verdict) {
    return verdict == Verdict::good ? ImageCheck{media_type, {}}
                                    : ImageCheck{{}, sentence(verdict)};
}

} // namespace

ImageCheck check_image(const Permits::Permit&, std::string_view bytes, const DecodeLimits& limits) {
    constexpr std::string_view png_signature{"\x89PNG\r\n\x1a\n", 8};
    constexpr std::string_view jpeg_start{"\xff\xd8\xff", 3};
    if (bytes.starts_with(png_signature)) return result("image/png", check_png(bytes));
    if (bytes.starts_with(jpeg_start)) return result("image/jpeg", check_jpeg(bytes, limits));
    return {{}, "This is neither a PNG nor a JPEG picture."_en};
}

} // namespace usershell::images
