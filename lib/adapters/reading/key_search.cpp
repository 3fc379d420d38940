#include "adapters/reading/key_search.hpp"

#include "adapters/errors/provider_words.hpp"
#include "base/ascii.hpp"
#include "domain/catalogue.hpp"

namespace usershell::adapters {

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

KeySearch::KeySearch(std::string_view key)
    : key_{key.size() < min_key_for_words || key == no_key ? std::string_view{} : key},
      borders_(key_.size()) {
    for (std::size_t i = 1; i < key_.size(); ++i)
        borders_[i] = static_cast<std::uint16_t>(next(borders_[i - 1], key_[i]));
}

std::size_t KeySearch::next(std::size_t matched, char c) const {
    while (matched > 0 && (matched == key_.size() || key_[matched] != c))
        matched = borders_[matched - 1];
    return key_[matched] == c ? matched + 1 : 0;
}

bool KeySearch::is_in(std::string_view bytes) const {
    if (key_.empty()) return false;
    if (bytes.find(key_) != std::string_view::npos) return true;
    const auto first = bytes.find('\\');
    if (first == std::string_view::npos) return false;
    // What begins before an escape has matched too.
    bytes.remove_prefix(first > key_.size() ? first - key_.size() : 0);
    Escapes once;
    Escapes twice;
    std::array<std::size_t, 2> matched{};
    for (const char c : bytes) {
        const char* const outer = once.take(c);
        if (!outer) continue;
        matched[0] = next(matched[0], *outer);
        if (const char* const inner = twice.take(*outer)) matched[1] = next(matched[1], *inner);
        if (matched[0] == key_.size() || matched[1] == key_.size()) return true;
    }
    return false;
}

bool KeySearch::is_across(std::string_view literal) {
    if (key_.empty()) return false;
    for (const char c : literal) {
        const char* const decoded = escapes_.take(c);
        if (!decoded) continue;
        across_ = next(across_, *decoded);
        if (across_ == key_.size()) return true;
    }
    return false;
}

} // namespace usershell::adapters
