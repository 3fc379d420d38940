// The words after a command's name: plain ones and `--option VALUE` or `--option=VALUE`, in any
// order. A command takes the words that it knows and then calls finish(), which refuses what is
// left.
#pragma once

#include "base/error.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::ctl {

/// The command line can't be understood; what() is one sentence. usershellctl exits with 2.
class UsageError : public Error {
public:
    using Error::Error;
};

class Arguments {
public:
    explicit Arguments(std::vector<std::string> words);

    /// Removes and returns the value of `--name`, or null. Throws UsageError when the option is
    /// given twice or without a value.
    std::optional<std::string> option(std::string_view name);

    /// Removes `--name`, which takes no value. True when it was given.
    bool flag(std::string_view name);

    /// Removes and returns the next plain word. `what` names it in the UsageError when it is
    /// missing.
    std::string next(std::string_view what);

    /// Are no words left?
    bool empty() const { return words_.empty(); }

    /// Throws UsageError when something is left.
    void finish() const;

private:
    std::vector<std::string> words_;
};

} // namespace usershell::ctl
