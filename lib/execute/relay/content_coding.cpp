#include "execute/relay/content_coding.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "net/content_decoder.hpp"

#include <algorithm>

namespace usershell::execute {
namespace {

/// Above the first, a body has at most so many times the bytes that were sent. A long conversation
/// is pressed 5 to 20 times.
constexpr std::size_t free_of_ratio = std::size_t{4} * 1024 * 1024;
constexpr std::size_t max_ratio = 100;
/// Of what is read at a time. A body that gives less than half of what was read, above the first,
/// is made for the work that it takes: blocks without content.
constexpr std::size_t coded_step = std::size_t{64} * 1024;
constexpr std::size_t first_room = std::size_t{64} * 1024;

Refusal undecodable() {
    return {ErrorCode::malformed_json, "The body can't be decoded as its Content-Encoding says."_en,
            "Content-Encoding"};
}

constexpr std::string_view name_of(ContentCoding coding) {
    if (coding == ContentCoding::gzip) return "gzip";
    return coding == ContentCoding::deflate ? "deflate" : "zstd";
}

} // namespace

ContentCoding coding_of(std::optional<std::string_view> header) {
    const std::string word = lower_ascii(trim_blanks(header.value_or("")));
    if (word.empty() || word == "identity") return ContentCoding::none;
    if (word == "gzip" || word == "x-gzip") return ContentCoding::gzip;
    if (word == "deflate") return ContentCoding::deflate;
    if (word == "zstd") return ContentCoding::zstd;
    throw Refusal{ErrorCode::unsupported_media_type,
                  "The Content-Encoding of a body is gzip, deflate or zstd, or none."_en,
                  "Content-Encoding"};
}

std::string decoded(std::string_view body, ContentCoding coding, std::size_t max_bytes,
                    const std::function<bool(std::size_t)>& may_take) {
    const std::string_view name = name_of(coding);
    const std::size_t most = std::min(max_bytes, free_of_ratio + max_ratio * body.size());
    const std::size_t besides = net::ContentDecoder::memory_of(name);
    std::string text;
    const auto grow_to = [&](std::size_t room) {
        if (!may_take(room + besides)) throw service_is_busy();
        text.reserve(room);
    };
    grow_to(std::min(most, first_room));
    const auto add = [&](std::string_view part) {
        const std::size_t size = text.size() + part.size();
        if (size > most) throw body_too_large(most);
        if (size > text.capacity()) grow_to(std::min(most, 2 * text.capacity()));
        text += part;
        return true;
    };
    const auto decoder = net::ContentDecoder::of(name);
    for (std::size_t read = 0; read < body.size(); read += coded_step) {
        if (read > coded_step + 2 * text.size()) throw undecodable();
        if (!decoder->take(body.substr(read, coded_step), add)) throw undecodable();
    }
    if (!decoder->is_complete()) throw undecodable();
    return text;
}

} // namespace usershell::execute
