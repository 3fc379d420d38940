#include "web/pages.hpp"

#include "base/ascii.hpp"
#include "web/header_value.hpp"
#include "web/language.hpp"
#include "web/template_rules.hpp"

#include <ctemplate/per_expand_data.h>
#include <ctemplate/template_cache.h>
#include <ctemplate/template_dictionary.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

namespace usershell::web {

namespace {

namespace fs = std::filesystem;

const std::string layout_name = "layout";

std::string read_file(const fs::path& path) {
    std::ifstream file{path, std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    if (!file) throw PagesError{"template " + path.string() + " can't be read"};
    return text;
}

bool is_mail(const std::string& name) { return name.starts_with("mail/"); }

/// Blank lines are part of a plain mail, and noise in HTML.
ctemplate::Strip strip_of(const std::string& name) {
    return is_text_template(name) ? ctemplate::DO_NOT_STRIP : ctemplate::STRIP_BLANK_LINES;
}

void fill(ctemplate::TemplateDictionary& dictionary, const PageData& data,
          const Language& language) {
    for (const auto& [name, value] : data.values)
        dictionary.SetValue(name, data.said.contains(name) ? language.sentence(value) : value);
    for (const auto& [name, shown] : data.sections)
        for (const PageData& each : shown)
            fill(*dictionary.AddSectionDictionary(name), each, language);
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

/// Mails have one language, and no name of it before theirs.
std::string key_of(const std::string& name, const Language& language) {
    return is_mail(name) ? name : language.code() + "/" + name;
}

/// "de" of "de-AT".
std::string_view primary_subtag(std::string_view tag) { return tag.substr(0, tag.find('-')); }

} // namespace

PageData& PageData::set(std::string name, std::string value) {
    values.insert_or_assign(std::move(name), std::move(value));
    return *this;
}

PageData& PageData::say(std::string name, std::string sentence) {
    said.insert(name);
    return set(std::move(name), std::move(sentence));
}

PageData& PageData::show(std::string section) {
    return sections[std::move(section)].emplace_back();
}

struct Pages::Templates {
    ctemplate::TemplateCache cache;
    std::set<std::string> names;
    std::vector<Language> languages;

    void load(const fs::path& folder, const std::string& name);
    void need(const std::string& name) const;
    const Language& language(const std::string& code) const;
    std::string expand(const std::string& key,
                       const ctemplate::TemplateDictionary& dictionary) const;
};

void Pages::Templates::load(const fs::path& folder, const std::string& name) {
    const std::string source = read_file(folder / (name + ".tpl"));
    for (const Language& language : languages) {
        const std::string text = language.in_template(name, source);
        check_template(name, text);
        const std::string key = key_of(name, language);
        if (!cache.StringToTemplateCache(key, text, strip_of(name)))
            throw PagesError{"template " + name + " does not parse"};
        if (is_mail(name)) break;
    }
    names.insert(name);
}

void Pages::Templates::need(const std::string& name) const {
    if (!names.contains(name)) throw PagesError{"there is no template " + name};
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
        throw PagesError{"template " + key + " could not be filled"};
    return text;
}

Pages::Pages(const fs::path& folder, const std::vector<std::string>& names)
    : templates_{std::make_unique<Templates>()} {
    templates_->languages = load_languages(folder / "languages");
    templates_->load(folder, layout_name);
    for (const std::string& name : names) templates_->load(folder, name);
    templates_->cache.Freeze();
}

Pages::~Pages() = default;

std::string Pages::render(const std::string& page, const PageData& data,
                          const std::string& code) const {
    templates_->need(page);
    if (is_text_template(page)) throw PagesError{"template " + page + " is no page"};
    const Language& language = templates_->language(code);
    ctemplate::TemplateDictionary layout{layout_name};
    fill(layout, data, language);
    layout.SetValue("LANGUAGE", language.code());
    if (&language != &templates_->languages.front()) layout.ShowSection("TRANSLATED");
    for (const Language& each : templates_->languages) {
        ctemplate::TemplateDictionary* choice = layout.AddSectionDictionary("CHOICE");
        choice->SetValue("CODE", each.code());
        choice->SetValue("NAME", each.name());
    }
    // An included template sees nothing of the dictionary around it, so it gets all of it again.
    ctemplate::TemplateDictionary* content = layout.AddIncludeDictionary("CONTENT");
    content->SetFilename(key_of(page, language));
    fill(*content, data, language);
    return templates_->expand(key_of(layout_name, language), layout);
}

std::string Pages::language_of(const Request& request) const {
    const auto known = [this](std::string_view code) {
        return std::ranges::find(templates_->languages, code, &Language::code) !=
               templates_->languages.end();
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

std::string Pages::render_bare(const std::string& name, const PageData& data) const {
    templates_->need(name);
    const Language& english = templates_->languages.front();
    ctemplate::TemplateDictionary dictionary{name};
    fill(dictionary, data, english);
    return templates_->expand(key_of(name, english), dictionary);
}

} // namespace usershell::web
