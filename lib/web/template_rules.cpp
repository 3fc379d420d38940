#include "web/template_rules.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <array>

namespace usershell::web {

namespace {

constexpr std::string_view pragma = R"({{%AUTOESCAPE context="HTML"}})";

/// HTML 5 and SVG attributes that run or fetch their value.
constexpr std::array<std::string_view, 3> unsafe_attributes{"formaction", "srcdoc", "xlink:href"};

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
    throw Error{"template " + name + ": " + why, Remedy::reinstall};
}

void check_html_marker(const std::string& name, std::string_view marker) {
    if (marker.find(':') != std::string_view::npos)
        refuse(name, "a value with a modifier: " + std::string{marker});
    if (marker.starts_with('>') && (name != "layout" || marker != ">CONTENT"))
        refuse(name, "an include: " + std::string{marker});
}

void check_text_marker(const std::string& name, std::string_view marker) {
    if (marker.starts_with('>')) refuse(name, "an include: " + std::string{marker});
}

/// Calls `check` with the inside of every `{{…}}` that is no comment; pragmas and delimiters are
/// refused here.
template <class Check>
void check_markers(const std::string& name, std::string_view text, Check check) {
    while (true) {
        const std::size_t open = text.find("{{");
        if (open == std::string_view::npos) return;
        const std::size_t close = text.find("}}", open);
        if (close == std::string_view::npos) refuse(name, "a marker is not closed");
        const std::string_view marker = text.substr(open + 2, close - open - 2);
        if (marker.starts_with('%')) refuse(name, "a pragma out of place");
        if (marker.starts_with('=')) refuse(name, "a change of delimiters");
        if (!marker.starts_with('!')) check(name, marker);
        text.remove_prefix(close + 2);
    }
}

/// The value of an attribute, from behind its '='; empty when `text` does not go on with a value.
std::string_view attribute_value(std::string_view text) {
    const std::size_t equals = text.find_first_not_of(" \t\r\n");
    if (equals == std::string_view::npos || text[equals] != '=') return {};
    const std::size_t start = text.find_first_not_of(" \t\r\n", equals + 1);
    if (start == std::string_view::npos) return {};
    const char quote = text[start];
    const std::size_t end = quote == '"' || quote == '\'' ? text.find(quote, start + 1)
                                                          : text.find_first_of(" \t\r\n>", start);
    return text.substr(start, end == std::string_view::npos ? end : end - start);
}

void check_attributes(const std::string& name, std::string_view text) {
    const std::string lower = lower_ascii(text);
    for (const std::string_view attribute : unsafe_attributes) {
        for (std::size_t at = lower.find(attribute); at != std::string::npos;
             at = lower.find(attribute, at + 1)) {
            const auto value =
                attribute_value(std::string_view{lower}.substr(at + attribute.size()));
            if (value.find("{{") != std::string_view::npos)
                refuse(name, "a value inside " + std::string{attribute});
        }
    }
}

} // namespace

bool is_text_template(std::string_view name) { return name.ends_with(".text"); }

void check_template(const std::string& name, std::string_view text) {
    if (is_text_template(name)) {
        check_markers(name, text, check_text_marker);
        if (text.find("</") != std::string_view::npos || text.find("<!") != std::string_view::npos)
            refuse(name, "HTML in a plain text");
        return;
    }
    if (!text.starts_with(pragma)) refuse(name, "the first line must be " + std::string{pragma});
    check_markers(name, text.substr(pragma.size()), check_html_marker);
    check_attributes(name, text);
}

} // namespace usershell::web
