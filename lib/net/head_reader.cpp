#include "net/head_reader.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <charconv>

namespace usershell::net {
namespace {

constexpr std::size_t max_head = std::size_t{64} * 1024;

std::string_view without_blanks(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = std::min(text.find_first_not_of(blanks), text.size());
    return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

/// Of "HTTP/1.1 200 OK"; libcurl has refused what is no status line.
int status_of(std::string_view line) {
    const auto number = line.substr(std::min(line.find(' ') + 1, line.size()));
    int status = 0;
    std::from_chars(number.data(), number.data() + number.size(), status);
    return status;
}

} // namespace

HeadReader::State HeadReader::take(std::string_view line) {
    bytes_ += line.size();
    if (bytes_ > max_head) return state_ = State::too_large;
    if (state_ != State::reading) return state_;
    if (line.starts_with("HTTP/")) {
        head_ = {};
        head_.status = status_of(line);
    } else if (!without_blanks(line).empty()) {
        take_field(line);
    } else if (head_.status >= 200) {
        state_ = State::done;
    }
    return state_;
}

void HeadReader::take_field(std::string_view line) {
    const auto colon = line.find(':');
    const bool continues_another = line.front() == ' ' || line.front() == '\t';
    if (colon == std::string_view::npos || continues_another) return;
    const std::string name = lower_ascii(without_blanks(line.substr(0, colon)));
    const auto value = without_blanks(line.substr(colon + 1));
    if (name == "content-type")
        head_.content_type = lower_ascii(without_blanks(value.substr(0, value.find(';'))));
    head_.fields.insert_or_assign(name, std::string{value});
}

} // namespace usershell::net
