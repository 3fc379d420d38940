// The passwords that are tried first: breached ones, words and names, from a file of one a line.
// Passwords are seldom chosen, so the file is read then (10 ms for a hundred thousand lines) and
// nothing of it is kept. Any thread may ask.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace usershell {

class CommonPasswords {
public:
    /// Shorter lines of the file are skipped: they say nothing about a password.
    static constexpr std::size_t min_bytes = 3;

    /// `path`: UTF-8, in any order and case. Throws ConfigError with one sentence when it can't be
    /// read or has no password in it.
    explicit CommonPasswords(std::string path);

    /// Is one of these in the file? Each as fold_first() folds it (base/text.hpp). Throws
    /// ConfigError when the file can't be read any more.
    bool contains_any(std::initializer_list<std::string_view> folded) const;

private:
    std::string path_;
};

} // namespace usershell
