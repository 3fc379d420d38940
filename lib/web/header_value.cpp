#include "web/header_value.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace usershell::web {

namespace {

/// Takes one part after another off the front of a header's value. Each step is false when the text
/// does not go on with that part.
class ParameterReader {
public:
    explicit ParameterReader(std::string_view text) : rest_{text} {}

    bool at_end() const { return rest_.empty(); }

    bool take_parameter(std::map<std::string, std::string>& parameters) {
        if (!take(';')) return false;
        const auto name = take_token();
        if (!name || !take('=')) return false;
        auto value = rest_.starts_with('"') ? take_quoted() : take_token();
        skip_blanks();
        return value && parameters.try_emplace(lower_ascii(*name), *std::move(value)).second;
    }

private:
    bool take(char wanted) {
        if (!rest_.starts_with(wanted)) return false;
        rest_.remove_prefix(1);
        if (wanted == ';') skip_blanks();
        return true;
    }

    std::optional<std::string> take_token() {
        const auto* end = std::ranges::find_if_not(rest_, is_token_character);
        std::string token{rest_.begin(), end};
        rest_.remove_prefix(token.size());
        if (token.empty()) return std::nullopt;
        return token;
    }

    /// Browsers write a quote as %22 and leave a backslash alone; others escape both with a
    /// backslash.
    std::optional<std::string> take_quoted() {
        std::string value;
        for (std::size_t i = 1; i < rest_.size(); ++i) {
            if (rest_[i] == '"') {
                rest_.remove_prefix(i + 1);
                return value;
            }
            const std::string_view next = rest_.substr(i + 1, 1);
            if (rest_[i] == '\\' && (next == "\"" || next == "\\")) ++i;
            value.push_back(rest_[i]);
        }
        return std::nullopt;
    }

    void skip_blanks() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
    }

    std::string_view rest_;
};

} // namespace

std::optional<std::string> HeaderValue::parameter(const std::string& name) const {
    const auto found = parameters.find(name);
    if (found == parameters.end()) return std::nullopt;
    return found->second;
}

std::optional<HeaderValue> parse_header_value(std::string_view text) {
    HeaderValue value{main_value(text), {}};
    ParameterReader reader{text.substr(std::min(text.find(';'), text.size()))};
    while (!reader.at_end())
        if (!reader.take_parameter(value.parameters)) return std::nullopt;
    return value;
}

std::string main_value(std::string_view text) {
    return lower_ascii(trim_blanks(text.substr(0, text.find(';'))));
}

bool is_token_character(char c) {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return is_alphanumeric(c) || marks.find(c) != std::string_view::npos;
}

std::optional<WipedString> decode_form_text(std::string_view encoded) {
    WipedString text;
    text.reserve(encoded.size());
    for (std::size_t i = 0; i < encoded.size(); ++i) {
        if (encoded[i] == '%') {
            const auto byte = byte_of_hex(encoded.substr(i + 1));
            if (!byte) return std::nullopt;
            text.push_back(*byte);
            i += 2;
        } else {
            text.push_back(encoded[i] == '+' ? ' ' : encoded[i]);
        }
    }
    if (!is_form_text(text)) return std::nullopt;
    return text;
}

bool has_c0_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r' && c != '\n';
    });
}

bool is_form_text(std::string_view text) { return !has_c0_control(text) && is_utf8(text); }

} // namespace usershell::web
