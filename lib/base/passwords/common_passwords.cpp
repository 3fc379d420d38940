#include "base/passwords/common_passwords.hpp"

#include "base/settings/config.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace usershell {

// One text for all of them instead of a string each: half the memory, and one allocation.
CommonPasswords::CommonPasswords(const std::string& path) {
    std::ifstream file{path};
    std::vector<std::size_t> ends;
    std::string line;
    while (std::getline(file, line)) {
        const std::size_t begin = text_.size();
        for (std::string_view rest = trimmed(line); !rest.empty();)
            rest.remove_prefix(fold_first(rest, text_));
        if (text_.size() - begin < min_bytes)
            text_.resize(begin);
        else
            ends.push_back(text_.size());
    }
    if (!file.eof())
        throw ConfigError{"The list of common passwords '" + path + "' can't be read: " +
                          std::error_code{errno, std::generic_category()}.message() + "."};
    if (ends.empty())
        throw ConfigError{"The list of common passwords '" + path + "' has none in it."};

    for (std::size_t begin = 0; const std::size_t end : ends) {
        words_.push_back(std::string_view{text_}.substr(begin, end - begin));
        begin = end;
    }
    std::ranges::sort(words_);
}

bool CommonPasswords::contains(std::string_view folded) const {
    return std::ranges::binary_search(words_, folded);
}

} // namespace usershell
