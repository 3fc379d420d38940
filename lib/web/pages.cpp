#include "web/pages.hpp"

#include "web/template_rules.hpp"

#include <ctemplate/per_expand_data.h>
#include <ctemplate/template_cache.h>
#include <ctemplate/template_dictionary.h>

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

/// Blank lines are part of a plain mail, and noise in HTML.
ctemplate::Strip strip_of(const std::string& name) {
    return is_text_template(name) ? ctemplate::DO_NOT_STRIP : ctemplate::STRIP_BLANK_LINES;
}

void fill(ctemplate::TemplateDictionary& dictionary, const PageData& data) {
    for (const auto& [name, value] : data.values) dictionary.SetValue(name, value);
    for (const auto& [name, shown] : data.sections)
        for (const PageData& each : shown) fill(*dictionary.AddSectionDictionary(name), each);
}

} // namespace

PageData& PageData::set(std::string name, std::string value) {
    values.insert_or_assign(std::move(name), std::move(value));
    return *this;
}

PageData& PageData::show(std::string section) {
    return sections[std::move(section)].emplace_back();
}

struct Pages::Templates {
    ctemplate::TemplateCache cache;
    std::set<std::string> names;

    void load(const fs::path& folder, const std::string& name);
    void need(const std::string& name) const;
    std::string expand(const std::string& name,
                       const ctemplate::TemplateDictionary& dictionary) const;
};

void Pages::Templates::load(const fs::path& folder, const std::string& name) {
    const std::string text = read_file(folder / (name + ".tpl"));
    check_template(name, text);
    if (!cache.StringToTemplateCache(name, text, strip_of(name)))
        throw PagesError{"template " + name + " does not parse"};
    names.insert(name);
}

void Pages::Templates::need(const std::string& name) const {
    if (!names.contains(name)) throw PagesError{"there is no template " + name};
}

std::string Pages::Templates::expand(const std::string& name,
                                     const ctemplate::TemplateDictionary& dictionary) const {
    std::string text;
    ctemplate::PerExpandData options;
    if (!cache.ExpandNoLoad(name, strip_of(name), &dictionary, &options, &text))
        throw PagesError{"template " + name + " could not be filled"};
    return text;
}

Pages::Pages(const fs::path& folder, const std::vector<std::string>& names)
    : templates_{std::make_unique<Templates>()} {
    templates_->load(folder, layout_name);
    for (const std::string& name : names) templates_->load(folder, name);
    templates_->cache.Freeze();
}

Pages::~Pages() = default;

std::string Pages::render(const std::string& page, const PageData& data) const {
    templates_->need(page);
    if (is_text_template(page)) throw PagesError{"template " + page + " is no page"};
    ctemplate::TemplateDictionary layout{layout_name};
    fill(layout, data);
    // An included template sees nothing of the dictionary around it, so it gets all of it again.
    ctemplate::TemplateDictionary* content = layout.AddIncludeDictionary("CONTENT");
    content->SetFilename(page);
    fill(*content, data);
    return templates_->expand(layout_name, layout);
}

std::string Pages::render_bare(const std::string& name, const PageData& data) const {
    templates_->need(name);
    ctemplate::TemplateDictionary dictionary{name};
    fill(dictionary, data);
    return templates_->expand(name, dictionary);
}

} // namespace usershell::web
