// The languages of the pages. The sources say every sentence in English; a language is one file,
// templates/languages/CODE.json, that has the others under the English ones. Loaded once at the
// start; pure afterwards, any thread may call.
#pragma once

#include "web/message.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace usershell::web {

class Language {
public:
    /// English: every sentence is itself.
    Language() = default;
    /// Reads a file: {"name": "Deutsch", "pages": {"English": "German", …}, "answers": {…},
    /// "scripts": {…}}. `pages` is for templates, `answers` for sentences of the programs,
    /// `scripts` for the browser alone. Throws PagesError.
    explicit Language(const std::filesystem::path& file);

    const std::string& code() const { return code_; } ///< BCP 47: "de"
    const std::string& name() const { return name_; } ///< in the language itself

    /// A program's sentence in this language; English where the file does not have it. A sentence
    /// of the file may have placeholders such as {number}: the text there is translated for itself,
    /// to that depth. Linear in the text.
    std::string sentence(std::string_view english, int depth = 16) const;

    /// A template's text, each [[sentence]] of it in this language. Throws PagesError for one that
    /// the file does not have.
    std::string in_template(const std::string& name, std::string_view text) const;

private:
    /// A sentence with placeholders, cut at them: one piece more than placeholders.
    struct Pattern {
        std::vector<std::string> pieces;
        std::vector<std::string> placeholders;
        std::string translation;
    };
    static Pattern pattern_of(const std::string& english, const std::string& translation);
    void add(const std::string& english, const std::string& translation);
    std::string translated(const std::string& name, std::string_view english) const;

    std::string code_ = "en";
    std::string name_ = "English";
    std::map<std::string, std::string, std::less<>> sentences_;
    std::vector<Pattern> patterns_;
};

/// The code of the caller's language: by the cookie `language`, else by what their
/// browser prefers (Accept-Language, RFC 9110, 12.5.4), else English.
std::string preferred_language(const Request& request, const std::vector<Language>& languages);

} // namespace usershell::web
