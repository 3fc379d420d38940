// The socket of usershell-opener: takes requests, each connection on a thread of its own, and sends
// what the handler answers. Requests of a connection come one after another. What is no request
// ends its connection, and so does a client that does not read.
//
// Who may ask is said by the owner and the mode of the socket's file (runtime/listener.hpp). The
// kernel's word on the other side's user (SO_PEERCRED) says nothing here: in a user namespace,
// which the unit has (PrivateUsers=), all other users are one.
#pragma once

#include "opener/wire/protocol.hpp"
#include "runtime/descriptor.hpp"
#include "runtime/listener.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <string_view>
#include <thread>

namespace usershell::opener {

/// Called by many threads at a time. What it throws becomes Trouble: a Refusal of status 503
/// `unavailable`, anything else `failed` and a line in the log.
using Handler = std::function<Answer(const Request&)>;

struct ServerLimits {
    std::size_t connections = 128;    ///< at a time; others are closed at once
    std::chrono::seconds silence{60}; ///< a connection without a request for so long is closed
    std::chrono::seconds unread{10};  ///< a client that reads nothing for so long has gone
};

class Server {
public:
    /// Serves until it is destroyed. Throws SystemError.
    Server(Listener listener, Handler handler, ServerLimits limits = {});
    /// Answers what has been asked already; what waits for accept(2) is the next process's.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// That are open.
    std::size_t connections() const { return open_; }

private:
    struct Connection {
        explicit Connection(Descriptor made) : socket{std::move(made)} {}
        Descriptor socket;
        std::atomic<bool> has_ended = false;
        std::thread thread;
    };

    void accept_until_stopped();
    void take(Descriptor socket);
    void converse(Connection& connection);
    Answer answer_to(std::string_view packet) const;

    Listener listener_;
    const Handler handler_;
    const ServerLimits limits_;
    Descriptor stop_;                   ///< eventfd: readable once it shall stop
    std::list<Connection> connections_; ///< the accepting thread's
    std::atomic<std::size_t> open_ = 0;
    std::thread thread_;
};

} // namespace usershell::opener
