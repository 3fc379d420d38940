#include "fcgi/records.hpp"

#include "base/ascii.hpp"

#include <algorithm>

#include <fastcgi.h>

namespace usershell::fcgi {

namespace {

/// nginx sends fewer: its headers come to the greatest size before. Each costs 100 bytes here.
constexpr std::size_t max_params = 16'384;

/// A length of one byte, or of four with the highest bit set.
std::size_t take_length(std::string_view& bytes) {
    const std::size_t size = bytes.empty() || static_cast<unsigned char>(bytes[0]) < 0x80 ? 1 : 4;
    if (bytes.size() < size) throw BadRecords{"a parameter is cut short"};
    std::size_t length = 0;
    for (const char byte : bytes.substr(0, size))
        length = length << 8U | static_cast<unsigned char>(byte);
    bytes.remove_prefix(size);
    return length & 0x7fffffffU;
}

/// Takes what is there of `left` bytes, and at most `max`.
std::string_view take(std::string_view& bytes, std::size_t& left,
                      std::size_t max = std::string_view::npos) {
    const auto taken = bytes.substr(0, std::min(left, max));
    bytes.remove_prefix(taken.size());
    left -= taken.size();
    return taken;
}

std::string_view take_text(std::string_view& bytes, std::size_t length) {
    const auto text = take(bytes, length);
    if (length > 0) throw BadRecords{"a parameter is cut short"};
    return text;
}

bool is_name(std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '_'; });
}

} // namespace

std::string_view RecordReader::next(std::string_view& bytes, std::size_t max) {
    while (!bytes.empty() && !ended()) {
        if (content_ > 0) return take(bytes, content_, max);
        if (padding_ > 0) {
            take(bytes, padding_);
        } else {
            header_[header_bytes_++] = // NOLINT(*-constant-array-index)
                static_cast<unsigned char>(bytes.front());
            bytes.remove_prefix(1);
            if (header_bytes_ == header_.size()) take_header();
        }
    }
    return {};
}

void RecordReader::take_header() {
    const auto [version, type, id1, id0, content1, content0, padding, reserved] = header_;
    const auto id = static_cast<std::uint16_t>(id1 << 8U | id0);
    const bool begins = type_ == FCGI_BEGIN_REQUEST;
    header_bytes_ = 0;
    content_ = std::size_t{content1} << 8U | content0;
    padding_ = padding;
    is_last_ = begins || content_ == 0;
    if (version != FCGI_VERSION_1) throw BadRecords{"unknown FastCGI version"};
    if (begins && (type != type_ || id == 0 || content_ != sizeof(FCGI_BeginRequestBody)))
        throw BadRecords{"no proper FCGI_BEGIN_REQUEST"};
    if (begins) id_ = id;
    if (type != type_ || id != id_) throw BadRecords{"a record out of place"};
}

std::array<char, 8> record_header(std::uint8_t type, std::uint16_t id, std::size_t content) {
    const auto low = [](std::size_t number) { return static_cast<char>(number & 0xffU); };
    return {
        FCGI_VERSION_1, low(type), low(id >> 8U), low(id), low(content >> 8U), low(content), 0, 0};
}

void check_params(std::string_view content) {
    for (std::size_t count = 0; !content.empty(); ++count) {
        if (count == max_params) throw BadRecords{"too many parameters"};
        const std::size_t name = take_length(content);
        const std::size_t value = take_length(content);
        if (!is_name(take_text(content, name))) throw BadRecords{"a parameter with a bad name"};
        if (take_text(content, value).find('\0') != std::string_view::npos)
            throw BadRecords{"a parameter with a NUL"};
    }
}

} // namespace usershell::fcgi
