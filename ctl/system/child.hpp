// Another program, run to its end: psql, systemctl. No shell is between: the words are its
// arguments as they are.
#pragma once

#include <string>
#include <vector>

namespace usershell::ctl {

struct ChildCommand {
    std::vector<std::string> words; ///< the first: its name, looked up in PATH
    std::string input;              ///< its standard input
    std::string user;               ///< the system's user it runs as; empty: ours
};

struct ChildResult {
    int status = 0;     ///< its exit status; 128 and more: a signal ended it; 127: it isn't there
    std::string output; ///< its standard output
    std::string errors; ///< its standard error
};

/// Waits for it. Throws SystemError when it can't be started, Error for a user that is not
/// there.
ChildResult run_child(const ChildCommand& command);

} // namespace usershell::ctl
