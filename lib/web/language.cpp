#include "web/language.hpp"

#include "base/ascii.hpp"
#include "web/header_value.hpp"
#include "web/pages.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

namespace usershell::web {
namespace {

// The English sentence is the key of its translation; there are no message numbers to keep in step.
// Templates are translated once, at the start, which fails when a sentence has no translation.
// Sentences of answers are translated when they are made, and are shown in English when they have
// none. A sentence with numbers or names in it ("Wait {seconds} seconds.") is found by its pattern,
// and the text at a placeholder is translated in turn.

boost::json::value read_json(const std::filesystem::path& file) {
    std::ifstream stream{file, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{stream}, {}};
    boost::json::error_code failure;
    auto value = boost::json::parse(text, failure);
    if (!stream || failure || !value.is_object())
        throw PagesError{"language " + file.string() + " can't be read"};
    return value;
}

/// The translation with each value in place of its placeholder. A value is not searched for
/// placeholders: it may be a stranger's text.
std::string filled(std::string_view translation, const std::vector<std::string>& placeholders,
                   const std::vector<std::string>& values) {
    std::string text;
    while (!translation.empty()) {
        const auto open = std::min(translation.find('{'), translation.size());
        const auto close = translation.find('}', open);
        text += translation.substr(0, open);
        if (close == std::string_view::npos) return text.append(translation.substr(open));
        const auto name = translation.substr(open + 1, close - open - 1);
        const auto found = std::ranges::find(placeholders, name);
        if (found != placeholders.end())
            text += values[static_cast<std::size_t>(found - placeholders.begin())];
        else
            text += translation.substr(open, close + 1 - open);
        translation.remove_prefix(close + 1);
    }
    return text;
}

/// The texts at the placeholders between these pieces; null when the text is not of that pattern.
std::optional<std::vector<std::string>> values_between(const std::vector<std::string>& pieces,
                                                       std::string_view text) {
    if (!text.starts_with(pieces.front()) || !text.ends_with(pieces.back())) return std::nullopt;
    if (text.size() < pieces.front().size() + pieces.back().size()) return std::nullopt;
    text.remove_suffix(pieces.back().size());
    text.remove_prefix(pieces.front().size());
    std::vector<std::string> values;
    for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
        const auto end = text.find(pieces[i]);
        if (end == std::string_view::npos) return std::nullopt;
        values.emplace_back(text.substr(0, end));
        text.remove_prefix(end + pieces[i].size());
    }
    values.emplace_back(text);
    return values;
}

/// "de" of "de-AT".
std::string_view primary_subtag(std::string_view tag) { return tag.substr(0, tag.find('-')); }

} // namespace

Language::Language(const std::filesystem::path& file) : code_{file.stem().string()} {
    const auto value = read_json(file);
    try {
        name_ = value.at("name").as_string().c_str();
        for (const char* section : {"pages", "answers"})
            for (const auto& [english, translation] : value.at(section).as_object())
                add(std::string{english}, translation.as_string().c_str());
    } catch (const std::exception&) {
        throw PagesError{"language " + file.string() + " has not the parts of one"};
    }
}

Language::Pattern Language::pattern_of(const std::string& english, const std::string& translation) {
    Pattern pattern{{}, {}, translation};
    std::size_t start = 0;
    for (auto open = english.find('{'); open != std::string::npos;
         open = english.find('{', start)) {
        const auto close = english.find('}', open);
        pattern.pieces.push_back(english.substr(start, open - start));
        pattern.placeholders.push_back(english.substr(open + 1, close - open - 1));
        start = close + 1;
    }
    pattern.pieces.push_back(english.substr(start));
    return pattern;
}

void Language::add(const std::string& english, const std::string& translation) {
    const bool has_placeholders =
        english.find('{') != std::string::npos && english.find("{{") == std::string::npos;
    if (has_placeholders)
        patterns_.push_back(pattern_of(english, translation));
    else
        sentences_.emplace(english, translation);
}

std::string Language::sentence(std::string_view english, int depth) const {
    if (depth == 0) return std::string{english};
    if (const auto found = sentences_.find(english); found != sentences_.end())
        return found->second;
    for (const Pattern& pattern : patterns_) {
        auto values = values_between(pattern.pieces, english);
        if (!values) continue;
        for (std::string& value : *values) value = sentence(value, depth - 1);
        return filled(pattern.translation, pattern.placeholders, *values);
    }
    return std::string{english};
}

std::string Language::translated(const std::string& name, std::string_view english) const {
    if (code_ == Language{}.code_) return std::string{english};
    const auto found = sentences_.find(english);
    if (found == sentences_.end())
        throw PagesError{"language " + code_ + " lacks a sentence of template " + name + ": " +
                         std::string{english}};
    return found->second;
}

std::string Language::in_template(const std::string& name, std::string_view text) const {
    std::string whole;
    for (;;) {
        const auto open = text.find("[[");
        const auto close = text.find("]]", open == std::string_view::npos ? 0 : open);
        if (open == std::string_view::npos) return whole.append(text);
        if (close == std::string_view::npos)
            throw PagesError{"template " + name + ": a sentence is not closed"};
        whole.append(text.substr(0, open));
        whole += translated(name, text.substr(open + 2, close - open - 2));
        text.remove_prefix(close + 2);
    }
}

std::string preferred_language(const Request& request, const std::vector<Language>& languages) {
    const auto known = [&](std::string_view code) {
        return std::ranges::find(languages, code, &Language::code) != languages.end();
    };
    if (const auto chosen = request.cookie("language"); chosen && known(*chosen))
        return std::string{*chosen};
    std::string best = "en";
    double weight_of_best = 0;
    for_each_piece(request.header("accept-language").value_or(""), ',', [&](std::string_view each) {
        const auto value = parse_header_value(each);
        if (!value) return;
        const std::string_view code = primary_subtag(value->main);
        const double weight = parse_number<double>(value->parameter("q").value_or("1")).value_or(0);
        if (weight <= weight_of_best || !known(code)) return;
        weight_of_best = weight;
        best = code;
    });
    return best;
}

} // namespace usershell::web
