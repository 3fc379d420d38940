// The passwords that are tried first: breached ones, words and names, from a file of one a line.
// Read once at start, about one MiB for a hundred thousand lines; any thread may ask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace usershell {

class CommonPasswords {
public:
    /// Shorter lines of the file are skipped: they say nothing about a password.
    static constexpr std::size_t min_bytes = 3;

    /// `path`: UTF-8, in any order and case. Throws ConfigError with one sentence when it can't be
    /// read or has no password in it.
    explicit CommonPasswords(const std::string& path);
    CommonPasswords(const CommonPasswords&) = delete;
    CommonPasswords& operator=(const CommonPasswords&) = delete;

    /// `folded`: as fold_first() folds it (base/text.hpp).
    bool contains(std::string_view folded) const;

private:
    std::string_view word_at(std::uint32_t begin) const;

    std::string text_;                  ///< all of them, case folded, each with a newline behind it
    std::vector<std::uint32_t> begins_; ///< where each begins in text_, sorted by the words
};

} // namespace usershell
