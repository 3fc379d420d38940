// Pages and mails from templates (ctemplate). All templates are loaded at start; a missing one, one
// that does not parse or one that breaks the rules of web/template_rules.hpp (its AUTOESCAPE line
// above all) stops the start. Nothing is read from the disk later. Thread-safe after construction.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace usershell::web {

/// What a template shows: values, and sections that are shown once for each dictionary in them (a
/// section with no dictionary is hidden). A section sees the values around it. Everything is
/// escaped for the place where it stands, but in plain text mails.
struct PageData {
    std::map<std::string, std::string> values;
    std::map<std::string, std::vector<PageData>> sections;

    PageData& set(std::string name, std::string value);
    /// Shows the section (once more) and gives its dictionary, valid until the next show() of that
    /// section.
    PageData& show(std::string section);
};

class PagesError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Pages {
public:
    /// `folder`: the templates; every *.tpl in it and in mail/ is loaded. `needed`: names that must
    /// be among them ("layout" always must). Throws PagesError.
    explicit Pages(const std::filesystem::path& folder,
                   const std::vector<std::string>& needed = {});
    ~Pages();

    /// The layout with `page` (e.g. "login") as its content. `data` is the layout's and the page's.
    /// Throws PagesError for a page that is not there.
    std::string render(const std::string& page, const PageData& data) const;

    /// A template by itself, without the layout: mails ("mail/confirm_email.text",
    /// "mail/confirm_email.html" name the files mail/confirm_email.text.tpl and …html.tpl).
    std::string render_bare(const std::string& name, const PageData& data) const;

private:
    struct Templates;
    std::unique_ptr<Templates> templates_;
};

} // namespace usershell::web
