#include "domain/pasted_key.hpp"

#include "base/ascii.hpp"
#include "domain/rules.hpp"

#include <algorithm>
#include <array>

namespace usershell {

namespace {

constexpr auto quotes =
    std::to_array<std::string_view>({"\"", "'", "`", "\u201c", "\u201d", "\u201e", "\u2018",
                                     "\u2019", "\u201a", "\u00ab", "\u00bb"});
constexpr auto masks = std::to_array<std::string_view>(
    {"...", "***", "\u2026", "\u2022", "\u25cf", "\u22ef", "\u2217", "\uff0a"});
/// The last word of a name that has a key for its value.
constexpr auto key_words = std::to_array<std::string_view>(
    {"key", "token", "secret", "password", "authorization", "bearer"});
constexpr auto words_before =
    std::to_array<std::string_view>({"bearer ", "basic ", "token ", "export ", "set "});
/// Marks of a value in the languages of shells and templates.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> stand_ins{{
    {"<", ">"},
    {"${", "}"},
    {"{", "}"},
    {"[", "]"},
    {"%", "%"},
    {"$(", ")"},
}};

bool equal_folded(std::string_view text, std::string_view lower) {
    return std::ranges::equal(text, lower, [](char one, char other) {
        return (one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one) == other;
    });
}

bool ends_with_key_word(std::string_view name) {
    return std::ranges::any_of(key_words, [name](std::string_view word) {
        return name.size() >= word.size() &&
               equal_folded(name.substr(name.size() - word.size()), word);
    });
}

bool is_name_sign(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

/// OPENAI_API_KEY, MISTRAL.
bool is_variable(std::string_view name) {
    return name.size() > 2 && !is_digit(name.front()) && std::ranges::all_of(name, [](char c) {
               return is_digit(c) || (c >= 'A' && c <= 'Z') || c == '_';
           });
}

/// NAME=value or "name: value". A sign of equality at the end is padding of base64, and a colon
/// is between the two halves of some keys.
bool has_name_before(std::string_view text) {
    const bool has_word = std::ranges::any_of(words_before, [text](std::string_view word) {
        return equal_folded(text.substr(0, word.size()), word);
    });
    if (has_word) return true;
    const std::size_t end = std::min(text.find_first_of("=:"), text.size());
    const std::string_view name = trim_blanks(text.substr(0, end));
    const std::string_view value = trim_blanks(text.substr(std::min(end + 1, text.size())));
    const bool has_value = value.find_first_not_of('=') != std::string_view::npos;
    if (!has_value || name.empty() || !std::ranges::all_of(name, is_name_sign)) return false;
    return ends_with_key_word(name) || (text[end] == '=' && is_variable(name));
}

bool is_quoted(std::string_view text) {
    while (text.ends_with(',') || text.ends_with(';')) text.remove_suffix(1);
    return std::ranges::any_of(quotes, [text](std::string_view quote) {
        return text.starts_with(quote) || text.ends_with(quote);
    });
}

bool is_link(std::string_view text) {
    return text.find("://") != std::string_view::npos || equal_folded(text.substr(0, 4), "www.");
}

bool is_masked(std::string_view text) {
    return std::ranges::any_of(
        masks, [text](std::string_view mask) { return text.find(mask) != std::string_view::npos; });
}

bool is_stand_in(std::string_view text) {
    if (text.starts_with('$') && std::ranges::all_of(text.substr(1), is_name_sign)) return true;
    return std::ranges::any_of(stand_ins, [text](const auto& signs) {
        return text.starts_with(signs.first) && text.ends_with(signs.second);
    });
}

} // namespace

Sentence error_in_pasted_key(std::string_view text) {
    if (is_link(text)) return "This is a link. Enter the key itself."_en;
    if (is_stand_in(text)) return "This is only a placeholder for a key. Enter the key itself."_en;
    if (is_masked(text))
        return "A part of this key is hidden by dots or asterisks. Copy the whole key."_en;
    if (has_name_before(text)) return "Enter the key alone, without the word before it."_en;
    if (is_quoted(text)) return "Enter the key alone, without quotation marks."_en;
    return {};
}

namespace {

bool is_in_form(std::string_view name) {
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    return !name.empty() && name.size() <= rules::header_name.max && is_letter(name.front()) &&
           std::ranges::all_of(name,
                               [&](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

bool is_refused(std::string_view name) {
    return std::ranges::any_of(rules::words::refused_headers, [&](std::string_view refused) {
        return refused.ends_with('*') ? name.starts_with(refused.substr(0, refused.size() - 1))
                                      : name == refused;
    });
}

} // namespace

bool is_own_header(std::string_view name, bool with_cookies) {
    return is_in_form(name) && !is_refused(name) && (with_cookies || name != "cookie");
}

} // namespace usershell
