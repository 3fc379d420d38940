#include "domain/passwords/password_rule.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "base/wiping.hpp"
#include "domain/rules.hpp"
#include "domain/settings/config.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <initializer_list>
#include <system_error>

namespace usershell {

namespace {

/// Shorter lines of the list are skipped: they say nothing about a password.
constexpr std::size_t min_bytes = 3;

std::string about(const std::string& list) {
    return "The list of common passwords '" + list + "' ";
}

void fold(std::string_view line, std::string& word) {
    word.clear();
    for (std::string_view rest = trimmed(line); !rest.empty();)
        rest.remove_prefix(fold_first(rest, word));
}

/// Is there a word in the list, case folded, for which `is_it(word)`?
template <class Test>
bool any_word(const std::string& list, Test is_it) {
    std::ifstream file{list};
    std::string line;
    std::string word;
    while (std::getline(file, line)) {
        fold(line, word);
        if (word.size() >= min_bytes && is_it(word)) return true;
    }
    if (!file.eof())
        throw ConfigError{about(list) + "can't be read: " +
                              std::error_code{errno, std::generic_category()}.message() + ".",
                          remedy_of_errno(errno, Remedy::reinstall)};
    return false;
}

bool contains_any(const std::string& list, std::initializer_list<std::string_view> folded) {
    return any_word(list, [folded](const std::string& word) {
        return std::ranges::find(folded, word) != folded.end();
    });
}

/// The three forms in which a password is compared, case folded: whole, from its first letter to
/// its last, and its letters alone. Guessing tools try a word with digits and signs around it
/// first, and a person's name in every way of writing it.
struct Forms {
    explicit Forms(std::string_view password);

    std::string_view core() const {
        return std::string_view{whole}.substr(core_begin, core_end - core_begin);
    }

    WipedString whole;
    WipedString letters;
    std::size_t core_begin = 0;
    std::size_t core_end = 0;
};

Forms::Forms(std::string_view password) {
    std::string piece; // one code point, too short to lie on the heap
    while (!password.empty()) {
        piece.clear();
        const bool letter = begins_with_letter(password);
        password.remove_prefix(fold_first(password, piece));
        if (letter && letters.empty()) core_begin = whole.size();
        whole.append(piece);
        if (!letter) continue;
        letters.append(piece);
        core_end = whole.size();
    }
}

/// "abc" of "abcabcabc"; a text that does not consist of a repeated one is its own unit.
std::string_view unit_of(std::string_view text) {
    for (std::size_t size = 1; size <= text.size() / 2; ++size)
        if (text.size() % size == 0 && text.substr(size) == text.substr(0, text.size() - size))
            return text.substr(0, size);
    return text;
}

/// A few characters over and over are common whether they are in the list or not.
bool repeats_little(std::string_view text) {
    const std::string_view unit = unit_of(text);
    return unit.size() <= min_bytes && unit.size() < text.size();
}

std::string letters_of(std::string_view text) {
    return std::string{std::string_view{Forms{text}.letters}};
}

bool is_one_of(std::string_view letters, const std::vector<std::string>& names) {
    return std::ranges::any_of(names, [&](const std::string& name) {
        return name.size() >= min_bytes && (letters == name || unit_of(letters) == name);
    });
}

std::vector<std::string> names_in_address(std::string_view email) {
    return {letters_of(email), letters_of(email.substr(0, email.find('@')))};
}

/// The whole name and each of its words.
std::vector<std::string> names_in(std::string_view name) {
    std::vector<std::string> names{letters_of(name)};
    for_each_piece(name, ' ',
                   [&names](std::string_view word) { names.push_back(letters_of(word)); });
    return names;
}

} // namespace

PasswordRule::PasswordRule(std::string list, std::string_view origin)
    : list_{std::move(list)},
      service_{"usershell", letters_of(host_of(origin))} {
    if (!any_word(list_, [](const std::string&) { return true; }))
        throw ConfigError{about(list_) + "has none in it."};
}

Sentence PasswordRule::error_in(std::string_view given, std::string_view email,
                                std::string_view name) const {
    if (!is_utf8(given)) return "A password is text."_en;
    const auto prepared = opaque_string(given);
    if (!prepared && !given.empty())
        return {"{what} has no control characters."_en, {{"what", "A password"_en}}};
    const std::string_view password = prepared ? std::string_view{*prepared} : given;
    if (count_code_points(password) < rules::min_password_characters)
        return {"{what} has at least {count} characters."_en,
                {{"what", "A password"_en}, {"count", grouped(rules::min_password_characters)}}};
    if (password.size() > rules::max_password_bytes)
        return {"{what} has at most {count} bytes."_en,
                {{"what", "A password"_en}, {"count", grouped(rules::max_password_bytes)}}};

    const Forms forms{password};
    if (forms.letters.empty()) return "A password needs letters, not only digits and symbols."_en;
    if (is_one_of(forms.letters, names_in_address(email)))
        return "A password can’t be your own address."_en;
    if (is_one_of(forms.letters, names_in(nfc(name))))
        return "A password can’t be your own name."_en;
    if (is_one_of(forms.letters, service_))
        return "A password can’t be the name of this service."_en;
    const std::string_view whole = forms.whole;
    const std::string_view core = forms.core();
    if (repeats_little(whole) || repeats_little(core) ||
        contains_any(list_, {whole, core, unit_of(whole), unit_of(core)}))
        return "This password is easy to guess. Try a few unrelated words."_en;
    return {};
}

} // namespace usershell
