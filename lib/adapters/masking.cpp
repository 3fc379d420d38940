#include "adapters/masking.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace usershell::adapters {

namespace {

constexpr std::string_view mask = "\u2022\u2022\u2022\u2022";
constexpr std::size_t telling_part = 8;
constexpr std::size_t max_input = 4096; // bytes; far more than is shown
constexpr std::size_t max_shown = 300;  // code points

std::size_t common_size(std::string_view a, std::string_view b) {
    const auto size = std::min(a.size(), b.size());
    return static_cast<std::size_t>(
        std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(size), b.begin()).first -
        a.begin());
}

/// The longest part of `key` that stands at the front of `text`.
std::size_t max_part(std::string_view text, std::string_view key) {
    std::size_t longest = 0;
    for (std::size_t from = 0; from < key.size(); ++from)
        longest = std::max(longest, common_size(text, key.substr(from)));
    return longest;
}

} // namespace

std::string mask_key(std::string_view text, std::string_view key) {
    if (key.empty()) return std::string{text};
    const auto telling = std::min(telling_part, key.size());
    std::string masked;
    while (!text.empty()) {
        const auto part = max_part(text, key);
        if (part >= telling)
            masked += mask;
        else
            masked += text.front();
        text.remove_prefix(part >= telling ? part : 1);
    }
    return masked;
}

std::string shown_words(std::string_view text, std::string_view key) {
    const auto readable = trim(printable(text.substr(0, max_input)));
    return shorten(mask_key(readable, key), max_shown);
}

} // namespace usershell::adapters
