#include "domain/entered.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "domain/address/address.hpp"
#include "domain/rules.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace usershell {

namespace {

constexpr auto quotes =
    std::to_array<std::string_view>({"\"", "'", "`", "\u201c", "\u201d", "\u201e", "\u2018",
                                     "\u2019", "\u201a", "\u00ab", "\u00bb"});
/// What stands around a value in a text or a program, and no key or address begins or ends with.
constexpr std::string_view signs_around = "\"'`(){}[]<>,;.\\";
/// What stands in place of hidden signs.
constexpr auto masks =
    std::to_array<std::string_view>({"...", "**", "xxxx", "XXXX", "____", "####", "\u2026",
                                     "\u2022", "\u25cf", "\u22ef", "\u2217", "\uff0a"});
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

bool ends_with_folded(std::string_view text, std::string_view lower) {
    return text.size() >= lower.size() &&
           equal_folded(text.substr(text.size() - lower.size()), lower);
}

bool ends_with_key_word(std::string_view name) {
    return std::ranges::any_of(
        key_words, [name](std::string_view word) { return ends_with_folded(name, word); });
}

bool is_name_sign(char c) { return is_alphanumeric(c) || c == '_' || c == '-'; }

/// OPENAI_API_KEY, MISTRAL.
bool is_variable(std::string_view name) {
    return name.size() > 2 && !is_digit(name.front()) && std::ranges::all_of(name, [](char c) {
               return is_digit(c) || (c >= 'A' && c <= 'Z') || c == '_';
           });
}

/// The last name: of `os.environ["NAME"] `, `$env:NAME`, `process.env.NAME`, `--name`.
std::string_view last_name(std::string_view text) {
    while (!text.empty() && !is_name_sign(text.back())) text.remove_suffix(1);
    std::size_t start = text.size();
    while (start > 0 && is_name_sign(text[start - 1])) --start;
    return text.substr(start);
}

/// NAME=value or "name: value". A sign of equality at the end is padding of base64, and a colon
/// is between the two halves of some keys.
bool has_name_before(std::string_view text) {
    const bool has_word = std::ranges::any_of(words_before, [text](std::string_view word) {
        return equal_folded(text.substr(0, word.size()), word);
    });
    if (has_word) return true;
    const auto end = text.find_last_not_of("= ");
    for (auto at = text.find_first_of("=:"); at < end; at = text.find_first_of("=:", at + 1)) {
        const std::string_view name = last_name(text.substr(0, at));
        if (ends_with_key_word(name) || (text[at] == '=' && is_variable(name))) return true;
    }
    return false;
}

bool has_quote_at_its_edge(std::string_view text) {
    return std::ranges::any_of(quotes, [text](std::string_view quote) {
        return text.starts_with(quote) || text.ends_with(quote);
    });
}

bool has_signs_around(std::string_view text) {
    const bool is_at_edge = text.starts_with('=') ||
                            signs_around.find(text.front()) != std::string_view::npos ||
                            signs_around.find(text.back()) != std::string_view::npos;
    return is_at_edge || has_quote_at_its_edge(text) ||
           text.find_first_of("\"`\\") != std::string_view::npos;
}

/// A host with a name: "platform.example.org". Not a number such as 4.1.
bool is_host(std::string_view text) {
    const auto dot = text.rfind('.');
    if (dot == 0 || dot == std::string_view::npos || text.size() < dot + 3) return false;
    return std::ranges::all_of(text.substr(dot + 1), is_letter) &&
           std::ranges::all_of(text, [](char c) { return is_name_sign(c) || c == '.'; });
}

/// Also without a scheme: "platform.example.org/keys". A key of base64 with a slash has no dot.
bool is_link(std::string_view text) {
    const auto slash = text.find('/');
    return text.find("://") != std::string_view::npos || equal_folded(text.substr(0, 4), "www.") ||
           (slash != std::string_view::npos && is_host(text.substr(0, slash)));
}

bool is_masked(std::string_view text) {
    return text.ends_with("xxx") || text.ends_with("XXX") ||
           std::ranges::any_of(masks, [text](std::string_view mask) {
               return text.find(mask) != std::string_view::npos;
           });
}

/// "your-key", "sk-your-key".
bool addresses_the_reader(std::string_view text) {
    constexpr std::string_view your = "your";
    for (std::size_t at = 0; at < text.size(); ++at)
        if ((at == 0 || !is_alphanumeric(text[at - 1])) &&
            equal_folded(text.substr(at, your.size()), your))
            return true;
    return false;
}

/// NAME_OF_KEY, process.env.NAME_OF_KEY, api-key, key-goes-here. A server of one's own may have a
/// key such as "my-api-key".
bool names_a_key(std::string_view text) {
    const std::string_view name = last_name(text);
    if (is_variable(name) && name.find('_') != std::string_view::npos && ends_with_key_word(name))
        return true;
    return equal_folded(text, "apikey") || equal_folded(text, "api_key") ||
           equal_folded(text, "api-key") || ends_with_folded(text, "-here") ||
           ends_with_folded(text, "_here");
}

bool is_stand_in(std::string_view text) {
    if (text.starts_with('$') && std::ranges::all_of(text.substr(1), is_name_sign)) return true;
    if (addresses_the_reader(text) || names_a_key(text)) return true;
    return std::ranges::any_of(stand_ins, [text](const auto& signs) {
        return text.starts_with(signs.first) && text.ends_with(signs.second);
    });
}

/// The scheme that people mean: also of "htps", and of WebSocket. Empty for another.
std::string meant_scheme(std::string_view word) {
    const std::string lower = lower_ascii(word);
    if (lower == "ws" || lower == "wss") return lower == "ws" ? "http" : "https";
    if (word.size() < 3 || lower.find_first_not_of("htps") != std::string::npos) return {};
    if (lower == "http" || lower == "https") return std::string{word};
    return lower.ends_with('s') ? "https" : "http";
}

/// Up to a blank or a quotation mark, without the signs at its end that end a value.
std::string_view until_signs(std::string_view text) {
    text = text.substr(0, text.find_first_of(" \t\"`<>"));
    const auto again = text.find("http", 1); // pasted twice
    const bool is_twice = again < text.size() && text.find("://", again) < again + 6;
    if (is_twice && text[again - 1] != '/') text = text.substr(0, again);
    for (const std::string_view quote : quotes) text = text.substr(0, text.find(quote, 1));
    const bool has_bracket = text.starts_with('[');            // of an IPv6 address
    std::size_t end = text.find_last_not_of("'(){},;.]/") + 1; // of npos: 0
    if (has_bracket && text.substr(end).starts_with(']')) ++end;
    const bool has_signs = text.find_first_not_of('/', end) != std::string_view::npos;
    if (has_signs) text = text.substr(0, end);
    return text;
}

} // namespace

std::string_view trimmed_paste(std::string_view text) {
    for (const std::string_view mark : {"\ufeff", "\u200b"}) {
        text = trimmed(text);
        if (text.starts_with(mark)) text.remove_prefix(mark.size());
        if (text.ends_with(mark)) text.remove_suffix(mark.size());
    }
    return trimmed(text);
}

std::string address_in_paste(std::string_view given) {
    std::string text{given};
    while (text.ends_with("\\n") || text.ends_with("\\r")) text.resize(text.size() - 2);
    std::ranges::replace(text, '\\', '/');
    std::string_view rest = text;
    std::string scheme;
    for (auto colon = rest.find(":/"); colon != std::string_view::npos; colon = rest.find(":/")) {
        std::size_t start = colon;
        while (start > 0 && is_letter(rest[start - 1])) --start;
        const std::string meant = meant_scheme(rest.substr(start, colon - start));
        const bool is_at_front = scheme.empty() || start == 0;
        if (meant.empty() || !is_at_front) break;
        scheme = meant;
        rest.remove_prefix(std::min(rest.find_first_not_of('/', colon + 1), rest.size()));
    }
    if (!scheme.empty()) {
        const auto address = until_signs(rest);
        return address.empty() ? std::string{given} : scheme + "://" + std::string{address};
    }
    rest = rest.substr(0, rest.find_last_not_of(" \"'`<>(){},;.") + 1);
    rest.remove_prefix(rest.find_last_of("= \"'<(") + 1); // of npos: nothing
    rest = until_signs(rest.substr(std::min(rest.find_first_not_of('/'), rest.size())));
    const auto host = rest.substr(0, rest.find_first_of("/:?#"));
    if (is_host(host)) return "https://" + std::string{rest};
    return host == "localhost" || Address::parse(host) ? "http://" + std::string{rest}
                                                       : std::string{given};
}

Sentence error_in_pasted_key(std::string_view text) {
    if (text.empty()) return {};
    if (is_link(text)) return "This is a link. Enter the key itself."_en;
    if (is_masked(text))
        return "A part of this key is hidden by dots or asterisks. Copy the whole key."_en;
    if (has_name_before(text)) return "Enter the key alone, without the word before it."_en;
    if (is_stand_in(text)) return "This is only a placeholder for a key. Enter the key itself."_en;
    if (has_signs_around(text))
        return "Enter the key alone, without quotation marks or other signs around it."_en;
    return {};
}

namespace {

bool is_in_form(std::string_view name) {
    const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
    return !name.empty() && name.size() <= rules::header_name.max && is_lower(name.front()) &&
           std::ranges::all_of(name,
                               [&](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
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
