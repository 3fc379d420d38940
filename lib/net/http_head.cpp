#include "net/http_head.hpp"

#include "base/ascii.hpp"
#include "net/content_decoder.hpp"

#include <algorithm>
#include <charconv>
#include <cstring> // explicit_bzero(3)
#include <utility>

namespace usershell::net {
namespace {

constexpr std::size_t max_key = 4096;
constexpr std::size_t max_head = std::size_t{64} * 1024;

bool is_line(std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

bool is_key(std::string_view key) {
    return !key.empty() && key.size() <= max_key && is_visible_ascii(key);
}

bool is_own(const KeyHeader& header) {
    return !header.name.empty() && !header.key.empty() && header.key.size() <= max_key &&
           is_visible_ascii(header.key, ' ') &&
           std::ranges::all_of(header.name, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

void add_secret(LineList& lines, std::string_view name, std::string_view prefix,
                std::string_view key) {
    std::string line;
    line.reserve(name.size() + 2 + prefix.size() + key.size()); // one copy to wipe
    line.append(name).append(": ").append(prefix).append(key);
    lines.add(line);
    ::explicit_bzero(line.data(), line.size());
}

/// Of "HTTP/1.1 200 OK"; libcurl has refused what is no status line.
int status_of(std::string_view line) {
    const auto number = line.substr(std::min(line.find(' ') + 1, line.size()));
    int status = 0;
    std::from_chars(number.data(), number.data() + number.size(), status);
    return status;
}

} // namespace

bool can_be_sent(const HttpRequest& request, std::span<const KeyHeader> own_headers) {
    const bool lines = std::ranges::all_of(request.headers, [](const auto& header) {
        return is_line(header.first) && is_line(header.second);
    });
    return lines && std::ranges::all_of(own_headers, is_own) &&
           (request.method == "GET" || request.method == "POST") &&
           (!request.key || (is_line(request.key->name) && is_line(request.key->prefix) &&
                             is_key(request.key->key)));
}

LineList header_lines(const HttpRequest& request, std::span<const KeyHeader> own_headers) {
    const auto is_given = [&](std::string_view name) {
        return std::ranges::find(own_headers, lower_ascii(name), &KeyHeader::name) !=
               own_headers.end();
    };
    LineList lines;
    if (!is_given("user-agent")) lines.add("User-Agent: usershell/" USERSHELL_VERSION);
    // The program asks for no coding. It decodes a coded answer itself, because libcurl fails on a
    // coding that it does not know.
    lines.add("Accept-Encoding: identity");
    lines.add("Expect:"); // none: a server that ignores it would cost a second of waiting
    std::string line;
    for (const auto& [name, value] : request.headers) {
        if (is_given(name)) continue;
        line.assign(name).append(": ").append(value);
        lines.add(line);
    }
    for (const KeyHeader& own : own_headers) add_secret(lines, own.name, {}, own.key);
    if (!request.key) return lines;
    const KeyHeader& key = *request.key;
    add_secret(lines, key.name, key.prefix, key.key);
    if (key.as_bearer) add_secret(lines, "Authorization", "Bearer ", key.key);
    return lines;
}

HeadReader::State HeadReader::take(std::string_view line) {
    bytes_ += line.size();
    if (bytes_ > max_head) return state_ = State::too_large;
    if (state_ != State::reading) return state_;
    if (line.starts_with("HTTP/")) {
        head_ = {};
        head_.status = status_of(line);
    } else if (!trim_blanks(line).empty()) {
        take_field(line);
    } else if (head_.status >= 200) {
        state_ = State::done;
    }
    if (codings_ > 1) state_ = State::encoded_twice;
    return state_;
}

void HeadReader::take_codings(std::string_view list, bool of_the_transfer) {
    for_each_piece(list, ',', [&](std::string_view piece) {
        std::string coding = lower_ascii(trim_blanks(piece));
        const bool is_none = coding.empty() || coding == "identity" || coding == "chunked";
        if (of_the_transfer ? is_none : ContentDecoder::memory_of(coding) == 0) return;
        ++codings_;
        if (!of_the_transfer) coding_ = std::move(coding);
    });
}

void HeadReader::take_field(std::string_view line) {
    const auto colon = line.find(':');
    const bool continues_another = line.front() == ' ' || line.front() == '\t';
    if (colon == std::string_view::npos || continues_another) return;
    const std::string name = lower_ascii(trim_blanks(line.substr(0, colon)));
    const auto value = trim_blanks(line.substr(colon + 1));
    if (name == "content-type")
        head_.content_type = lower_ascii(trim_blanks(value.substr(0, value.find(';'))));
    if (name == "content-encoding" || name == "transfer-encoding")
        take_codings(value, name == "transfer-encoding");
    head_.fields.insert_or_assign(name, std::string{value});
}

} // namespace usershell::net
