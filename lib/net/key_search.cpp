#include "net/key_search.hpp"

#include "base/ascii.hpp"
#include "domain/catalogue.hpp"
#include "domain/rules.hpp"

#include <algorithm>
#include <array>
#include <cstring> // memmem(3)
#include <string>

namespace usershell::net {

const char* KeySearch::Escapes::take(char c) {
    switch (state_) {
    case State::plain:
        if (c == '\\') {
            state_ = State::escape;
            return nullptr;
        }
        out_ = c;
        return &out_;
    case State::escape:
        state_ = c == 'u' ? State::digits : State::plain;
        value_ = 0;
        left_ = 4;
        // The others are controls, which no key has.
        out_ = c == '"' || c == '\\' || c == '/' ? c : '\0';
        return c == 'u' ? nullptr : &out_;
    case State::digits:
        value_ = value_ * 16 + hex_number(std::string_view{&c, 1}, 1).value_or(0);
        if (--left_ > 0) return nullptr;
        state_ = State::plain;
        out_ = value_ < 0x80 ? static_cast<char>(value_) : '\0';
    }
    return &out_;
}

KeySearch::Pattern::Pattern(std::string_view text) : key{text}, borders(text.size()) {
    for (std::size_t i = 1; i < key.size(); ++i)
        borders[i] = static_cast<std::uint16_t>(next(borders[i - 1], key[i]));
}

std::size_t KeySearch::Pattern::next(std::size_t matched, char c) const {
    while (matched > 0 && (matched == key.size() || key[matched] != c))
        matched = borders[matched - 1];
    return key[matched] == c ? matched + 1 : 0;
}

bool KeySearch::Pattern::is_in(std::string_view bytes) const {
    // Linear whatever the texts are, as std::string_view::find() is not.
    if (::memmem(bytes.data(), bytes.size(), key.data(), key.size()) != nullptr) return true;
    const auto first = bytes.find('\\');
    if (first == std::string_view::npos) return false;
    // A key that begins before an escape has matched too.
    bytes.remove_prefix(first > key.size() ? first - key.size() : 0);
    Escapes once;
    Escapes twice;
    std::array<std::size_t, 2> matched{};
    for (const char c : bytes) {
        const char* const outer = once.take(c);
        if (!outer) continue;
        matched[0] = next(matched[0], *outer);
        if (const char* const inner = twice.take(*outer)) matched[1] = next(matched[1], *inner);
        if (matched[0] == key.size() || matched[1] == key.size()) return true;
    }
    return false;
}

KeySearch::KeySearch(std::string_view key, std::span<const KeyHeader> own_headers) {
    if (key.size() >= rules::min_key_for_words && key != no_key) patterns_.emplace_back(key);
    for (const KeyHeader& own : own_headers)
        if (own.key.size() >= rules::min_secret_header) patterns_.emplace_back(own.key);
}

bool KeySearch::is_in(std::string_view bytes) const {
    return std::ranges::any_of(patterns_, [&](const Pattern& each) { return each.is_in(bytes); });
}

KeySearch::Texts& KeySearch::texts_of(std::string_view source) {
    constexpr std::size_t max_sources = 64;
    const auto found = std::ranges::find(texts_, source, &Texts::source);
    if (found != texts_.end()) return *found;
    if (texts_.size() < max_sources)
        texts_.push_back({std::string{source}, {}, std::vector<std::size_t>(patterns_.size())});
    return texts_.back();
}

bool KeySearch::is_across(std::string_view source, std::string_view literal) {
    if (patterns_.empty()) return false;
    Texts& texts = texts_of(source);
    for (const char c : literal) {
        const char* const decoded = texts.escapes.take(c);
        if (!decoded) continue;
        for (std::size_t i = 0; i < patterns_.size(); ++i) {
            std::size_t& matched = texts.matched[i];
            matched = patterns_[i].next(matched, *decoded);
            if (matched == patterns_[i].key.size()) return true;
        }
    }
    return false;
}

} // namespace usershell::net
