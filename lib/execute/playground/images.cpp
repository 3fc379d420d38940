#include "execute/playground/images.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "crypto/bytes.hpp"
#include "domain/rules.hpp"

#include <boost/json/object.hpp>

#include <array>
#include <iterator>
#include <optional>

namespace usershell::execute {
namespace {

std::size_t padding_of(std::string_view text) {
    return text.size() - (text.find_last_not_of('=') + 1);
}

/// The beginning of what a Base64 text stands for (RFC 4648, section 4); null: the text is not
/// canonical. Decodes a piece at a time, so that no image is copied.
std::optional<std::string> beginning_of(std::string_view text) {
    constexpr std::size_t piece = 4096;
    std::array<unsigned char, piece / 4 * 3> bytes{};
    std::optional<std::string> beginning;
    while (!text.empty()) {
        const auto part = text.substr(0, piece);
        text.remove_prefix(part.size());
        const auto size = crypto::decode_base64(part, bytes);
        if (!size || (!text.empty() && *size < bytes.size())) return std::nullopt; // "=" inside
        if (!beginning)
            beginning.emplace(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(*size));
    }
    return beginning;
}

/// The first bytes of a type, and those from the ninth on.
struct Signature {
    std::string_view first;
    std::string_view ninth;
};

// As rules::words::image_types has them. PNG: W3C, "Portable Network Graphics", 5.2. JPEG: ITU-T
// T.81, B.1.1.3, SOI and the next marker's first byte. WebP: RFC 9649, 2.4.
constexpr std::array signatures{Signature{"\x89PNG\r\n\x1a\n", ""}, Signature{"\xff\xd8\xff", ""},
                                Signature{"RIFF", "WEBP"}};
static_assert(signatures.size() == std::size(rules::words::image_types));

bool begins_as(const Signature& signature, std::string_view bytes) {
    constexpr std::size_t ninth = 8;
    return bytes.starts_with(signature.first) &&
           (signature.ninth.empty() ||
            (bytes.size() > ninth && bytes.substr(ninth).starts_with(signature.ninth)));
}

std::string_view text_in(const boost::json::value& image, std::string_view name,
                         std::string_view field) {
    const auto* const object = image.if_object();
    const auto* const value = object == nullptr ? nullptr : object->if_contains(name);
    const auto* const text = value == nullptr ? nullptr : value->if_string();
    if (text == nullptr) throw invalid(field, "Each image has a type and data, both strings."_en);
    return *text;
}

adapters::ChatImage read_image(std::string_view field, const boost::json::value& given) {
    rules::WordRule types = rules::image_type;
    types.field = field;
    const std::size_t type = rules::read(types, std::string{text_in(given, "type", field)});
    const adapters::ChatImage image{types.words[type], text_in(given, "data", field)};
    const auto beginning = beginning_of(image.data);
    if (!beginning) throw invalid(field, "The data of an image is Base64."_en);
    if (bytes_of(image) > rules::max_image_bytes)
        throw invalid(field, {"An image has at most {size}."_en,
                              {{"size", readable_size(rules::max_image_bytes)}}});
    if (!begins_as(signatures.at(type), *beginning))
        throw invalid(field, {"An image does not begin as {type} does."_en,
                              {{"type", std::string{image.type}}}});
    return image;
}

} // namespace

std::size_t bytes_of(const adapters::ChatImage& image) {
    return image.data.size() / 4 * 3 - padding_of(image.data);
}

std::vector<adapters::ChatImage> read_images(std::string_view field,
                                             const boost::json::array* images) {
    std::vector<adapters::ChatImage> read;
    if (images == nullptr) return read;
    if (images->size() > rules::max_images)
        throw invalid(field, {"A message has at most {count} images."_en,
                              {{"count", std::to_string(rules::max_images)}}});
    for (const auto& image : *images) read.push_back(read_image(field, image));
    return read;
}

} // namespace usershell::execute
