// The words of a command line, one option at a time: `--name`, `--name value`, `--name=value`, in
// any bytes; no abbreviations, no short options. Used by one thread.
//
// Boost's parser is not used: it takes `--name=` for an option without a value, and for `--=x` or
// bytes that are no UTF-8 its error is no sentence for a person.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace usershell {

class OptionWords {
public:
    /// Without the first, the program's name.
    OptionWords(int argc, const char* const* argv);

    /// Is the next word an option?
    bool at_option() const;

    /// What has not been taken yet.
    std::vector<std::string> rest() const;

    /// Takes the next option, which there must be; its name may be empty.
    std::string take_name();

    /// Has the option just taken a value behind its '='?
    bool joined() const { return joined_; }

    /// The value of the option just taken. Throws ConfigError, which says `name`, when there is
    /// none.
    std::string take_value(const std::string& name);

private:
    std::vector<std::string> words_;
    std::size_t next_ = 0;
    bool joined_ = false;
    std::string value_;
};

} // namespace usershell
