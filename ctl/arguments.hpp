// The words after a command's name: plain ones and `--option VALUE` or `--option=VALUE`, in any
// order. A command takes the words that it knows and then calls finish(), which refuses what is
// left.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::ctl {

/// The command line can't be understood; what() is one sentence. usershellctl exits with 2.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Arguments {
public:
    explicit Arguments(std::vector<std::string> words);

    /// The value of `--name`, taken out; nothing when it isn't there. Throws UsageError when it
    /// stands there twice or without a value.
    std::optional<std::string> option(std::string_view name);
    /// The same, but it has to be there.
    std::string required_option(std::string_view name);

    /// True when `--name`, which takes no value, is there; taken out.
    bool flag(std::string_view name);

    /// The next plain word, taken out; `what` names it in the UsageError when there is none.
    std::string next(std::string_view what);

    /// Are no words left?
    bool empty() const { return words_.empty(); }

    /// Throws UsageError when something is left.
    void finish() const;

private:
    std::vector<std::string> words_;
};

} // namespace usershell::ctl
