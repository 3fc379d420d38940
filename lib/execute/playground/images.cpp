#include "execute/playground/images.hpp"

#include "base/error.hpp"
#include "base/rules.hpp"
#include "base/text.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace usershell::execute {
namespace {

constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 64;

constexpr std::array<std::uint8_t, 256> base64_values = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(no_digit);
    for (std::uint8_t value = 0; value < no_digit; ++value)
        values.at(static_cast<unsigned char>(base64_digits[value])) = value;
    return values;
}();

unsigned base64_value(char digit) {
    return base64_values.at(static_cast<unsigned char>(digit)); // NOLINT(*-constant-array-index)
}

std::size_t padding_of(std::string_view text) {
    return text.size() - (text.find_last_not_of('=') + 1);
}

/// RFC 4648, section 4: padded, without line ends; the bits that stand for no byte are zero.
bool is_base64(std::string_view text) {
    const std::size_t padding = padding_of(text);
    if (text.empty() || text.size() % 4 != 0 || padding > 2) return false;
    text.remove_suffix(padding);
    if (std::ranges::any_of(text, [](char c) { return base64_value(c) == no_digit; })) return false;
    const unsigned unused = padding == 0 ? 0U : padding == 1 ? 3U : 15U;
    return (base64_value(text.back()) & unused) == 0;
}

/// The first bytes of what a Base64 text stands for, up to twelve.
std::string first_bytes(std::string_view text) {
    std::string bytes;
    unsigned bits = 0;
    unsigned count = 0;
    for (const char digit :
         text.substr(0, std::min<std::size_t>(16, text.size() - padding_of(text)))) {
        bits = bits << 6U | base64_value(digit);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += static_cast<char>(bits >> count & 0xffU);
    }
    return bytes;
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
    if (!is_base64(image.data)) throw invalid(field, "The data of an image is Base64."_en);
    if (bytes_of(image) > rules::max_image_bytes)
        throw invalid(field, {"An image has at most {size}."_en,
                              {{"size", readable_size(rules::max_image_bytes)}}});
    if (!begins_as(signatures.at(type), first_bytes(image.data)))
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
