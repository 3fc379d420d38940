// A listening Unix socket, inherited from systemd or made here. Its mode decides which processes
// can connect, and a process that can connect is trusted to be nginx, or usershell-execute at the
// opener's. Used by one thread.
#pragma once

#include "runtime/descriptor.hpp"

#include <optional>
#include <string>

namespace usershell {

class Listener {
public:
    enum class Purpose { requests, metrics };

    /// The listening Unix stream socket that systemd passed for that purpose (sd_listen_fds(3)), or
    /// null. FileDescriptorName=metrics marks the one for metrics; the other is for requests. Call
    /// once for each purpose. Throws Error.
    static std::optional<Listener> inherited(Purpose purpose);

    /// Makes a socket at `path`, mode 0660. Replaces a socket that no process listens on. Throws
    /// Error when any other file is there.
    static Listener bound(const std::string& path);

    /// The one for requests, as a program is given it: made at `path`, or else inherited. Throws
    /// Error.
    static Listener of_requests(const std::string& path);

    Listener(Listener&& other) noexcept;
    Listener& operator=(Listener&&) = delete;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    /// Unlinks an own socket.
    ~Listener();

    /// Non-blocking: a process that shares it may be quicker to accept.
    int fd() const { return socket_.get(); }
    /// Is it made here? Then no other process serves its backlog.
    bool is_own() const { return !path_.empty(); }
    /// Removes an own socket's name, so that no client connects any more.
    void unlink();

private:
    Listener(Descriptor socket, std::string path);

    Descriptor socket_;
    std::string path_; ///< of an own socket, until unlinked
};

/// A connection to the socket at `path`, non-blocking; empty when no process takes one, with errno.
/// Throws Error when the path is too long. Any thread.
Descriptor connect_to(const std::string& path);

/// Does a process listen there? Throws as connect_to(). Any thread.
bool somebody_listens(const std::string& path);

} // namespace usershell
