#include "variables.hpp"

#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

namespace usershell::test {

namespace {

/// "x*200" → 200 times x.
std::optional<std::string> repeated(std::string_view expression) {
    const auto star = expression.rfind('*');
    if (star == std::string_view::npos) return std::nullopt;
    const auto digits = expression.substr(star + 1);
    std::size_t times = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), times);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += expression.substr(0, star);
    return text;
}

/// "hex:C328" → two bytes.
std::optional<std::string> bytes(std::string_view expression) {
    if (!expression.starts_with("hex:") || expression.size() % 2 != 0) return std::nullopt;
    std::string text;
    for (std::size_t i = 4; i < expression.size(); i += 2) {
        unsigned byte = 0;
        const char* const first = expression.data() + i;
        const auto [end, error] = std::from_chars(first, first + 2, byte, 16);
        if (error != std::errc{} || end != first + 2) return std::nullopt;
        text += static_cast<char>(static_cast<unsigned char>(byte));
    }
    return text;
}

std::string in_capitals(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

} // namespace

void Variables::set(const std::string& name, std::string value) {
    values_[name] = std::move(value);
}

std::string Variables::fill(const Place& place, std::string_view text) const {
    std::string filled;
    for (;;) {
        const auto open = text.find("${");
        filled += text.substr(0, open);
        if (open == std::string_view::npos) return filled;
        const auto close = text.find('}', open);
        if (close == std::string_view::npos) fail(place, "A ${ is not closed.");
        filled += value_of(place, std::string{text.substr(open + 2, close - open - 2)});
        text.remove_prefix(close + 1);
    }
}

std::string Variables::value_of(const Place& place, const std::string& expression) const {
    if (const auto found = values_.find(expression); found != values_.end()) return found->second;
    if (expression.ends_with("^^"))
        return in_capitals(value_of(place, expression.substr(0, expression.size() - 2)));
    if (auto text = bytes(expression)) return *std::move(text);
    if (auto text = repeated(expression)) return *std::move(text);
    fail(place, "There is no variable \"" + expression + "\".");
}

} // namespace usershell::test
