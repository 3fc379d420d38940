#include "ctl/system/child.hpp"

#include "base/error.hpp"
#include "runtime/descriptor.hpp"

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace usershell::ctl {

namespace {

[[noreturn]] void fail(const char* what) { throw SystemError{what}; }

struct Pipe {
    Pipe() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
        read_end = Descriptor{ends[0]};
        write_end = Descriptor{ends[1]};
    }
    Descriptor read_end, write_end;
};

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
                               const Pipe& in, const Pipe& out, const Pipe& errors) {
    static_cast<void>(std::signal(SIGPIPE, SIG_DFL));
    const bool ready = dup2(in.read_end.get(), STDIN_FILENO) >= 0 &&
                       dup2(out.write_end.get(), STDOUT_FILENO) >= 0 &&
                       dup2(errors.write_end.get(), STDERR_FILENO) >= 0 && chdir("/") == 0 &&
                       identity.become();
    if (ready) execvp(words.front(), words.data());
    _exit(not_started);
}

// Input and both outputs are moved side by side: a child that fills one pipe while we wait at
// another would wait for us as well, for ever.

/// Moves what there is to move until the child has closed both of its ends.
class Conversation {
public:
    Conversation(Pipe& in, Pipe& out, Pipe& errors, std::string_view input)
        : in_{in.write_end},
          rest_{input},
          sources_{{{out.read_end, {}}, {errors.read_end, {}}}} {}

    void hold() {
        while (sources_[0].end || sources_[1].end || in_) {
            if (rest_.empty()) in_.reset();
            std::array<pollfd, 3> ready{{{sources_[0].end.get(), POLLIN, 0},
                                         {sources_[1].end.get(), POLLIN, 0},
                                         {in_.get(), POLLOUT, 0}}};
            if (poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) fail("poll");
            for (std::size_t at = 0; at < sources_.size(); ++at)
                if (ready[at].revents != 0) take(sources_[at]);
            if (ready[2].revents != 0) give();
        }
    }
    std::string& text(std::size_t at) { return sources_[at].text; }

private:
    struct Source {
        Descriptor& end;
        std::string text;
    };

    static void take(Source& source) {
        std::array<char, 8192> buffer{};
        const ssize_t count = read(source.end.get(), buffer.data(), buffer.size());
        if (count > 0)
            source.text.append(buffer.data(), static_cast<std::size_t>(count));
        else if (count == 0 || errno != EINTR)
            source.end.reset();
    }
    void give() {
        const ssize_t count = write(in_.get(), rest_.data(), rest_.size());
        if (count >= 0)
            rest_.remove_prefix(static_cast<std::size_t>(count));
        else if (errno != EINTR)
            in_.reset(); // it reads no more
    }

    Descriptor& in_;
    std::string_view rest_;
    std::array<Source, 2> sources_;
};

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
    Pipe in, out, errors;
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    const pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) become_child(words, identity, in, out, errors);
    in.read_end.reset();
    out.write_end.reset();
    errors.write_end.reset();
    Conversation conversation{in, out, errors, command.input};
    conversation.hold();
    const int status = wait_for(child);
    static_cast<void>(std::signal(SIGPIPE, before));
    return {status, std::move(conversation.text(0)), std::move(conversation.text(1))};
}

} // namespace usershell::ctl
