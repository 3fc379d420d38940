#include "web/language.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "web/header_value.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace usershell::web {
namespace {

// The English sentence is the key of its translation; there are no message numbers to keep in step.
// Templates are translated once, at the start, which fails when a sentence has no translation.
// Sentences of the programs are translated when they are shown, and are shown in English when they
// have none.

boost::json::value read_json(const std::filesystem::path& file) {
    std::ifstream stream{file, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{stream}, {}};
    boost::json::error_code failure;
    auto value = boost::json::parse(text, failure);
    if (!stream || failure || !value.is_object())
        throw Error{"language " + file.string() + " can't be read", Remedy::reinstall};
    return value;
}

/// "de" of "de-AT".
std::string_view primary_subtag(std::string_view tag) { return tag.substr(0, tag.find('-')); }

} // namespace

Language::Language(const std::filesystem::path& file) : code_{file.stem().string()} {
    const auto value = read_json(file);
    try {
        name_ = value.at("name").as_string().c_str();
        for (const auto& [english, translation] : value.at("sentences").as_object())
            sentences_.emplace(english, translation.as_string());
    } catch (const std::exception&) {
        throw Error{"language " + file.string() + " has not the parts of one", Remedy::reinstall};
    }
}

std::string Language::sentence(const Sentence& sentence) const {
    return sentence.in([this](std::string_view english) {
        const auto found = sentences_.find(english);
        return found == sentences_.end() ? std::string{english} : found->second;
    });
}

std::string Language::translated(const std::string& name, std::string_view english) const {
    if (code_ == Language{}.code_) return std::string{english};
    const auto found = sentences_.find(english);
    if (found == sentences_.end())
        throw Error{"language " + code_ + " lacks a sentence of template " + name + ": " +
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
            throw Error{"template " + name + ": a sentence is not closed"};
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
