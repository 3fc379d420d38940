// Pages and mails from templates (ctemplate). All that will be rendered are named and loaded at the
// start; a missing one, one that does not parse or one that breaks our rules (its
// AUTOESCAPE line above all) stops it. Nothing is read from the disk
// later. Thread-safe after construction.
#pragma once

#include "base/error.hpp"
#include "web/message.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace usershell::web {

/// The data of a template: values, and sections that are shown once for each dictionary in them (a
/// section with no dictionary is hidden). A section sees the values around it. Everything is
/// escaped for its place, but not in plain text mails.
struct PageData {
    std::map<std::string, std::string> values;
    std::map<std::string, std::vector<PageData>> sections;
    std::map<std::string, Sentence> sentences{}; ///< values that are shown in the page's language

    PageData& set(std::string name, std::string value);
    /// The same of a sentence.
    PageData& say(std::string name, Sentence sentence);
    /// Shows the section (once more) and gives its dictionary, valid until the next show() of that
    /// section.
    PageData& show(std::string section);
};

/// The values that are the same for all requests.
struct FixedData {
    std::map<std::string, std::string> values; ///< any template may show them
    std::set<std::string> shown{};             ///< sections that are shown in any template
    /// By the marker at which any template shows them ("TYPES" is `{{>TYPES}}`): a template's name
    /// and its data. Rendered once, at the start.
    std::map<std::string, std::pair<std::string, PageData>> parts{};
};

class Pages {
public:
    /// `names`: what will be rendered; "login" is the file login.tpl in `folder`. The template
    /// "layout" is loaded besides, and all of them in each language of the folder languages/
    /// (language.hpp). Throws Error.
    Pages(const std::filesystem::path& folder, const std::vector<std::string>& names,
          FixedData fixed = {});
    ~Pages();

    /// The layout with `page` as its content. `data` is the layout's and the page's; the layout is
    /// told the language, and which there are, besides. Throws Error for a name that was not
    /// given at the start.
    std::string render(const std::string& page, const PageData& data,
                       const std::string& language = "en") const;

    /// Whether the template has that value or section. Throws as render() does.
    bool shows(const std::string& page, const std::string& marker) const;

    /// preferred_language() of those that the pages are in.
    std::string language_of(const Request& request) const;

    /// A template in a language, without the layout: a mail's "mail/NAME.text"
    /// or "mail/NAME.html".
    std::string render_bare(const std::string& name, const PageData& data,
                            const std::string& language = "en") const;

    /// As of Language, in that language.
    std::string sentence(const Sentence& sentence, const std::string& language) const;

private:
    struct Templates;
    std::unique_ptr<Templates> templates_;
};

} // namespace usershell::web
