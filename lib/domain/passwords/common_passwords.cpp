#include "domain/passwords/common_passwords.hpp"

#include "base/text.hpp"
#include "domain/settings/config.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace usershell {

namespace {

std::string about(const std::string& path) {
    return "The list of common passwords '" + path + "' ";
}

void fold(std::string_view line, std::string& word) {
    word.clear();
    for (std::string_view rest = trimmed(line); !rest.empty();)
        rest.remove_prefix(fold_first(rest, word));
}

/// Is there a word in the file, case folded, for which `is_it(word)`?
template <class Test>
bool any_word(const std::string& path, Test is_it) {
    std::ifstream file{path};
    std::string line;
    std::string word;
    while (std::getline(file, line)) {
        fold(line, word);
        if (word.size() >= CommonPasswords::min_bytes && is_it(word)) return true;
    }
    if (!file.eof())
        throw ConfigError{about(path) + "can't be read: " +
                          std::error_code{errno, std::generic_category()}.message() + "."};
    return false;
}

} // namespace

CommonPasswords::CommonPasswords(std::string path) : path_{std::move(path)} {
    if (!any_word(path_, [](const std::string&) { return true; }))
        throw ConfigError{about(path_) + "has none in it."};
}

bool CommonPasswords::contains_any(std::initializer_list<std::string_view> folded) const {
    return any_word(path_, [folded](const std::string& word) {
        return std::ranges::find(folded, word) != folded.end();
    });
}

} // namespace usershell
