// The socket of usershell-opener. Each thread takes a connection, answers its question and closes
// it; other connections wait in the socket's backlog, which all processes of the pool share.
//
// The owner and the mode of the socket's file decide which programs may ask (runtime/listener.hpp).
// SO_PEERCRED does not: in a user namespace, which the unit has (PrivateUsers=), all other users
// are one.
#pragma once

#include "base/wiping.hpp"
#include "opener/wire/protocol.hpp"
#include "runtime/descriptor.hpp"
#include "runtime/listener.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

namespace usershell::opener {

/// Gives the encoded answer. Called by many threads at a time. An exception becomes Trouble: a
/// Refusal of status 503 `unavailable`, another one `failed` and a line in the log.
using Handler = std::function<WipedString(const Question&)>;

/// The time in which a client sends its question, and that in which it reads the answer.
struct ServerLimits {
    std::chrono::milliseconds question{1000};
    std::chrono::milliseconds answer{5000};
};

class Server {
public:
    /// Serves until it is destroyed. Throws SystemError.
    Server(Listener listener, std::size_t threads, Handler handler, ServerLimits limits = {});
    /// Answers the connections that were taken; what waits in the backlog is the next process's.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

private:
    bool wait_for_one(const Descriptor& watch) const;
    void take_one() const;
    void converse(int socket) const;
    WipedString answer_to(std::string_view bytes) const;

    Listener listener_;
    const Handler handler_;
    const ServerLimits limits_;
    Descriptor stop_; ///< eventfd: readable once it shall stop
    std::vector<std::thread> threads_;
};

} // namespace usershell::opener
