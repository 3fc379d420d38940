#include "base/passwords/common_passwords.hpp"

#include "base/settings/config.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <system_error>

namespace usershell {

// One text for all of them, and four bytes to find each: a string each would take three times as
// much.
CommonPasswords::CommonPasswords(const std::string& path) {
    const std::string list = "The list of common passwords '" + path + "' ";
    std::ifstream file{path};
    std::string line;
    while (std::getline(file, line)) {
        const std::size_t begin = text_.size();
        if (begin > std::numeric_limits<std::uint32_t>::max())
            throw ConfigError{list + "is larger than 4 GiB."};
        for (std::string_view rest = trimmed(line); !rest.empty();)
            rest.remove_prefix(fold_first(rest, text_));
        if (text_.size() - begin < min_bytes) {
            text_.resize(begin);
        } else {
            text_ += '\n';
            begins_.push_back(static_cast<std::uint32_t>(begin));
        }
    }
    if (!file.eof())
        throw ConfigError{list + "can't be read: " +
                          std::error_code{errno, std::generic_category()}.message() + "."};
    if (begins_.empty()) throw ConfigError{list + "has none in it."};
    std::ranges::sort(begins_, {}, [this](std::uint32_t begin) { return word_at(begin); });
    text_.shrink_to_fit();
    begins_.shrink_to_fit();
}

bool CommonPasswords::contains(std::string_view folded) const {
    return std::ranges::binary_search(begins_, folded, {},
                                      [this](std::uint32_t begin) { return word_at(begin); });
}

std::string_view CommonPasswords::word_at(std::uint32_t begin) const {
    return std::string_view{text_}.substr(begin, text_.find('\n', begin) - begin);
}

} // namespace usershell
