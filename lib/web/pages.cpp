#include "web/pages.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "web/language.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>

#include <ctemplate/per_expand_data.h>
#include <ctemplate/template.h>
#include <ctemplate/template_cache.h>
#include <ctemplate/template_dictionary.h>

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

/// "mail/confirm_email.text": plain text, where nothing is escaped.
bool is_text_template(std::string_view name) { return name.ends_with(".text"); }

/// The rules of a template's text, checked before it is loaded: ctemplate escapes nothing without
/// its pragma, and knows nothing of attributes younger than HTML 4. Throws Error with a sentence
/// that names the template.
/// HTML: begins with `{{%AUTOESCAPE context="HTML"}}`; no other pragma, no change of delimiters, no
/// modifier (`{{X:none}}`), no include but `{{>CONTENT}}` of "layout", no value inside formaction,
/// srcdoc or xlink:href (ctemplate would let `javascript:` pass there). Text: no pragma, no change
/// of delimiters, no include, no HTML tags.
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

namespace fs = std::filesystem;

// After the start the cache is frozen, so that rendering takes no lock. Its keys are language and
// name. A page is two templates: the layout, and the page's own included in it. ctemplate's
// included dictionaries inherit nothing, so both are given the data, each only the part that it
// shows.

const std::string layout_name = "layout";

std::string read_file(const fs::path& path) {
    std::ifstream file{path, std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    if (!file) throw Error{"template " + path.string() + " can't be read", Remedy::reinstall};
    return text;
}

/// `{{>proof email}}` is the text of proof.tpl with "email" in place of each NAME; `{{>secret}}` is
/// that of secret.tpl. Parts that are made by the program have names in capitals.
std::string with_snippets(const fs::path& folder, std::string text) {
    constexpr std::string_view name = "NAME";
    for (auto at = text.find("{{>"); at != std::string::npos; at = text.find("{{>", at + 1)) {
        const std::string marker = text.substr(at + 3, text.find("}}", at) - at - 3);
        if (marker != lower_ascii(marker)) continue;
        const auto blank = std::min(marker.find(' '), marker.size());
        const std::string word = marker.substr(std::min(blank + 1, marker.size()));
        std::string snippet = read_file(folder / (marker.substr(0, blank) + ".tpl"));
        snippet.erase(0, pragma.size());
        for (auto spot = snippet.find(name); spot != std::string::npos; spot = snippet.find(name))
            snippet.replace(spot, name.size(), word);
        text.replace(at, marker.size() + 5, snippet);
    }
    return text;
}

/// Blank lines are part of a plain mail, and noise in HTML.
ctemplate::Strip strip_of(const std::string& name) {
    return is_text_template(name) ? ctemplate::DO_NOT_STRIP : ctemplate::STRIP_BLANK_LINES;
}

using Markers = std::set<std::string, std::less<>>;

/// The names of values and sections that stand in a template.
Markers markers_of(std::string_view text) {
    Markers markers;
    for (auto at = text.find("{{"); at != std::string_view::npos; at = text.find("{{")) {
        text.remove_prefix(at + 2);
        if (text.starts_with('#')) text.remove_prefix(1);
        markers.emplace(text.substr(0, text.find("}}")));
    }
    return markers;
}

/// The part of the data that the template shows. Values are not copied: one may be a token that is
/// shown once, and the dictionary's memory is not wiped. So `data` outlives the dictionary.
void fill_shown(ctemplate::TemplateDictionary& dictionary, const PageData& data,
                const Language& language, const Markers& markers) {
    for (const auto& [name, value] : data.values)
        if (markers.contains(name)) dictionary.SetValueWithoutCopy(name, value);
    for (const auto& [name, sentence] : data.sentences)
        if (markers.contains(name)) dictionary.SetValue(name, language.sentence(sentence));
    for (const auto& [name, shown] : data.sections) {
        if (!markers.contains(name)) continue;
        for (const PageData& each : shown)
            fill_shown(*dictionary.AddSectionDictionary(name), each, language, markers);
    }
}

/// English first, then those of the folder by their codes.
std::vector<Language> load_languages(const fs::path& folder) {
    std::vector<Language> languages(1);
    if (!fs::exists(folder)) return languages;
    std::set<fs::path> files;
    for (const auto& entry : fs::directory_iterator{folder}) files.insert(entry.path());
    for (const fs::path& file : files) languages.emplace_back(file);
    return languages;
}

std::string key_of(const std::string& name, const Language& language) {
    return language.code() + "/" + name;
}

} // namespace

PageData& PageData::set(std::string name, std::string value) {
    values.insert_or_assign(std::move(name), std::move(value));
    return *this;
}

PageData& PageData::say(std::string name, Sentence sentence) {
    sentences.insert_or_assign(std::move(name), std::move(sentence));
    return *this;
}

PageData& PageData::show(std::string section) {
    return sections[std::move(section)].emplace_back();
}

struct Pages::Templates {
    fs::path folder;
    FixedData fixed;
    ctemplate::TemplateCache cache;
    std::map<std::string, Markers> names; ///< and the markers in each
    std::vector<Language> languages;

    void load(const std::string& name);
    std::string with_parts(std::string text, const Language& language) const;
    std::string part(const std::string& name, const PageData& data, const Language& language) const;
    /// Throws Error when there is no such template.
    const Markers& markers(const std::string& name) const;
    const Language& language(const std::string& code) const;
    /// The data that the template shows, and the fixed values.
    void fill(ctemplate::TemplateDictionary& dictionary, const PageData& data,
              const Language& language, const Markers& shown) const;
    std::string expand(const std::string& key,
                       const ctemplate::TemplateDictionary& dictionary) const;
};

void Pages::Templates::load(const std::string& name) {
    const std::string source = with_snippets(folder, read_file(folder / (name + ".tpl")));
    names.emplace(name, markers_of(source));
    for (const Language& language : languages) {
        const std::string text = with_parts(language.in_template(name, source), language);
        check_template(name, text);
        if (!cache.StringToTemplateCache(key_of(name, language), text, strip_of(name)))
            throw Error{"template " + name + " does not parse"};
    }
}

/// A part is rendered at its marker, and is text of the template from then on.
std::string Pages::Templates::with_parts(std::string text, const Language& language) const {
    for (const auto& [marker, name_and_data] : fixed.parts) {
        const std::string place = "{{>" + marker + "}}";
        const auto at = text.find(place);
        if (at == std::string::npos) continue;
        text.replace(at, place.size(), part(name_and_data.first, name_and_data.second, language));
    }
    return text;
}

std::string Pages::Templates::part(const std::string& name, const PageData& data,
                                   const Language& language) const {
    const std::string text = language.in_template(name, read_file(folder / (name + ".tpl")));
    check_template(name, text);
    const std::unique_ptr<ctemplate::Template> read{
        ctemplate::Template::StringToTemplate(text, strip_of(name))};
    ctemplate::TemplateDictionary dictionary{name};
    fill(dictionary, data, language, markers_of(text));
    std::string rendered;
    if (!read || !read->Expand(&rendered, &dictionary))
        throw Error{"template " + name + " does not parse"};
    if (rendered.find("{{") != std::string::npos)
        throw Error{"template " + name + " is given a marker as a value"};
    return rendered;
}

const Markers& Pages::Templates::markers(const std::string& name) const {
    const auto found = names.find(name);
    if (found == names.end()) throw Error{"there is no template " + name};
    return found->second;
}

const Language& Pages::Templates::language(const std::string& code) const {
    const auto found = std::ranges::find(languages, code, &Language::code);
    return found == languages.end() ? languages.front() : *found;
}

std::string Pages::Templates::expand(const std::string& key,
                                     const ctemplate::TemplateDictionary& dictionary) const {
    std::string text;
    ctemplate::PerExpandData options;
    if (!cache.ExpandNoLoad(key, strip_of(key), &dictionary, &options, &text))
        throw Error{"template " + key + " could not be filled"};
    return text;
}

void Pages::Templates::fill(ctemplate::TemplateDictionary& dictionary, const PageData& data,
                            const Language& language, const Markers& shown) const {
    for (const std::string& marker : shown) {
        if (const auto found = fixed.values.find(marker); found != fixed.values.end())
            dictionary.SetValue(marker, found->second);
        if (fixed.shown.contains(marker)) dictionary.ShowSection(marker);
    }
    fill_shown(dictionary, data, language, shown);
}

Pages::Pages(const fs::path& folder, const std::vector<std::string>& names, FixedData fixed)
    : templates_{std::make_unique<Templates>()} {
    templates_->languages = load_languages(folder / "languages");
    templates_->folder = folder;
    templates_->fixed = std::move(fixed);
    templates_->load(layout_name);
    for (const std::string& name : names) templates_->load(name);
    templates_->cache.Freeze();
}

Pages::~Pages() = default;

std::string Pages::render(const std::string& page, const PageData& data,
                          const std::string& code) const {
    if (is_text_template(page)) throw Error{"template " + page + " is no page"};
    const Language& language = templates_->language(code);
    ctemplate::TemplateDictionary layout{layout_name};
    templates_->fill(layout, data, language, templates_->markers(layout_name));
    layout.SetValue("LANGUAGE", language.code());
    if (&language != &templates_->languages.front()) layout.ShowSection("TRANSLATED");
    for (const Language& each : templates_->languages) {
        ctemplate::TemplateDictionary* choice = layout.AddSectionDictionary("CHOICE");
        choice->SetValue("CODE", each.code());
        choice->SetValue("NAME", each.name());
    }
    ctemplate::TemplateDictionary* content = layout.AddIncludeDictionary("CONTENT");
    content->SetFilename(key_of(page, language));
    templates_->fill(*content, data, language, templates_->markers(page));
    return templates_->expand(key_of(layout_name, language), layout);
}

bool Pages::shows(const std::string& page, const std::string& marker) const {
    return templates_->markers(page).contains(marker);
}

std::string Pages::language_of(const Request& request) const {
    return preferred_language(request, templates_->languages);
}

std::string Pages::render_bare(const std::string& name, const PageData& data,
                               const std::string& code) const {
    const Language& language = templates_->language(code);
    ctemplate::TemplateDictionary dictionary{name};
    templates_->fill(dictionary, data, language, templates_->markers(name));
    dictionary.SetValue("LANGUAGE", language.code());
    return templates_->expand(key_of(name, language), dictionary);
}

std::string Pages::sentence(const Sentence& sentence, const std::string& code) const {
    return templates_->language(code).sentence(sentence);
}

} // namespace usershell::web
