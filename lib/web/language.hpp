// The languages of the pages. The sources say every sentence in English; a language is one file,
// templates/languages/CODE.json, that has the others under the English ones. Loaded once at the
// start; pure afterwards, any thread may call.
#pragma once

#include "base/sentence.hpp"
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
    /// Reads a file: {"name": "Deutsch", "sentences": {"English": "German", …}}. Throws Error.
    explicit Language(const std::filesystem::path& file);

    const std::string& code() const { return code_; } ///< BCP 47: "de"
    const std::string& name() const { return name_; } ///< in the language itself

    /// A program's sentence in this language, and the sentences among its values; English where the
    /// file does not have one.
    std::string sentence(const Sentence& sentence) const;

    /// A template's text, each [[sentence]] of it in this language. Throws Error for one that
    /// the file does not have.
    std::string in_template(const std::string& name, std::string_view text) const;

private:
    std::string translated(const std::string& name, std::string_view english) const;

    std::string code_ = "en";
    std::string name_ = "English";
    std::map<std::string, std::string, std::less<>> sentences_;
};

/// The code of the caller's language: by the cookie `language`, else by what their
/// browser prefers (Accept-Language, RFC 9110, 12.5.4), else English.
std::string preferred_language(const Request& request, const std::vector<Language>& languages);

} // namespace usershell::web
