// The listening Unix socket: inherited from systemd or made here. Never TCP: whoever can connect is
// trusted to be nginx, so the socket's mode is the access rule. Used by one thread.
#pragma once

#include "base/error.hpp"
#include "base/process/descriptor.hpp"

#include <optional>
#include <string>

namespace usershell {

class ListenerError : public Error {
public:
    using Error::Error;
};

class Listener {
public:
    enum class Purpose { requests, metrics };

    /// The socket that systemd passed for that purpose (sd_listen_fds(3)), a listening Unix stream
    /// socket; nothing when there is none. The one whose FileDescriptorName= is "metrics" is for
    /// metrics, the one other for requests. Call once for each purpose. Throws ListenerError.
    static std::optional<Listener> inherited(Purpose purpose);

    /// A socket of our own at `path`, mode 0660. A socket that lies there and that nobody answers
    /// on is replaced; anything else that lies there is left alone and is an error. Throws
    /// ListenerError.
    static Listener bound(const std::string& path);

    Listener(Listener&& other) noexcept;
    Listener& operator=(Listener&&) = delete;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    /// Unlinks an own socket.
    ~Listener();

    /// Non-blocking, so that a process that shares it and was quicker does not leave us waiting in
    /// accept4(2).
    int fd() const { return socket_.get(); }
    /// Nobody else accepts on it, so that what waits in its backlog is ours to serve before we go.
    bool is_own() const { return !path_.empty(); }
    /// Takes an own socket's name away: nobody connects from now on.
    void unlink();

private:
    Listener(Descriptor socket, std::string path);

    Descriptor socket_;
    std::string path_; ///< of an own socket, until unlinked
};

} // namespace usershell
