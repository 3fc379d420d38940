#include "ctl/system/child.hpp"

#include "base/error.hpp"
#include "runtime/descriptor.hpp"

#include <cerrno>
#include <csignal>

#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace usershell::ctl {

namespace {

[[noreturn]] void fail(const char* what) { throw SystemError{what}; }

/// A file in memory for one of the child's streams. Unlike a pipe it takes all that is written, so
/// neither side waits for the other.
Descriptor memory_file(std::string_view content = {}) {
    constexpr unsigned no_exec = 8; // MFD_NOEXEC_SEAL: a kernel may insist on it, from 6.3 on
    Descriptor file{memfd_create("usershellctl", MFD_CLOEXEC | no_exec)};
    if (!file && errno == EINVAL) file = Descriptor{memfd_create("usershellctl", MFD_CLOEXEC)};
    if (!file || pwrite(file.get(), content.data(), content.size(), 0) !=
                     static_cast<ssize_t>(content.size()))
        fail("memory for a child");
    return file;
}

std::string content_of(const Descriptor& file) {
    std::string content(static_cast<std::size_t>(lseek(file.get(), 0, SEEK_END)), '\0');
    if (pread(file.get(), content.data(), content.size(), 0) !=
        static_cast<ssize_t>(content.size()))
        fail("memory of a child");
    return content;
}

/// A child's user and groups. Looked up before fork(2), after which few calls are allowed.
struct Identity {
    explicit Identity(const std::string& name) {
        if (name.empty()) return;
        const passwd* const found = getpwnam(name.c_str());
        if (found == nullptr) throw Error{"The system has no user " + name + "."};
        is_other = true;
        user = found->pw_uid;
        group = found->pw_gid;
    }
    bool become() const {
        return !is_other || (setgroups(0, nullptr) == 0 && setgid(group) == 0 && setuid(user) == 0);
    }
    bool is_other = false;
    uid_t user = 0;
    gid_t group = 0;
};

constexpr int not_started = 127;

[[noreturn]] void become_child(const std::vector<char*>& words, const Identity& identity,
                               const Descriptor& in, const Descriptor& out,
                               const Descriptor& errors) {
    static_cast<void>(std::signal(SIGPIPE, SIG_DFL));
    const bool ready = dup2(in.get(), STDIN_FILENO) >= 0 && dup2(out.get(), STDOUT_FILENO) >= 0 &&
                       dup2(errors.get(), STDERR_FILENO) >= 0 && chdir("/") == 0 &&
                       identity.become();
    if (ready) execvp(words.front(), words.data());
    _exit(not_started);
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) fail("waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

ChildResult run_child(const ChildCommand& command) {
    std::vector<char*> words;
    for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const Identity identity{command.user};
    const Descriptor in = memory_file(command.input);
    const Descriptor out = memory_file();
    const Descriptor errors = memory_file();
    const pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) become_child(words, identity, in, out, errors);
    const int status = wait_for(child);
    return {status, content_of(out), content_of(errors)};
}

namespace {

/// Can this process make an Internet socket?
bool has_network() {
    const Descriptor probe{socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    return static_cast<bool>(probe);
}

/// For a process that a unit of systemd has started without a network.
void require_confined(bool with_network) {
    if (!with_network && has_network())
        throw Error{
            "This process can reach the network. Start it by its unit of systemd, which has "
            "none, or allow it with --with-network."};
}

void give_up_rights(const std::string& user, uid_t uid, gid_t gid, bool with_network) {
    if (geteuid() != 0)
        throw Error{"Run this as root, which then becomes " + user + ", or as " + user +
                    ": it reads a secret ring."};
    if (!with_network && unshare(CLONE_NEWNET) != 0)
        throw Error{
            "This process can't be cut off from the network; --with-network leaves it connected."};
    if (setgroups(0, nullptr) != 0 || setgid(gid) != 0 || setuid(uid) != 0)
        throw Error{"This process can't become " + user + "."};
}

} // namespace

void confine(const std::string& user, bool with_network) {
    const passwd* const found = getpwnam(user.c_str());
    if (found == nullptr) throw Error{"The system has no user " + user + ": install the package."};
    if (found->pw_uid == geteuid())
        require_confined(with_network);
    else
        give_up_rights(user, found->pw_uid, found->pw_gid, with_network);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        throw Error{"This process can't be kept from gaining rights."};
}

} // namespace usershell::ctl
