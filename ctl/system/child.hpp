// Processes: another program's run, and what this one may do.
#pragma once

#include <string>
#include <vector>

namespace usershell::ctl {

// Another program, run to its end: psql, systemctl. No shell is between: the words are its
// arguments as they are.

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

// Giving up privileges that a piece of work does not need, for the rest of this process's life.

/// From now on this process runs as that system user, can gain no privileges, and, unless
/// `with_network`, has no network but Unix sockets. Root does all of that; a process that is that
/// user already (started by a unit of systemd) must have no network then. Throws Error.
void confine(const std::string& user, bool with_network);

} // namespace usershell::ctl
