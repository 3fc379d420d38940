// A server on a free loopback port that follows a test's script, byte by byte, and counts who
// came. Every connection runs the script in a thread of its own; stop() (or the end) closes and
// joins them all. Nothing here knows time: a script that waits, waits for its peer.
#pragma once
#include "base/process/descriptor.hpp"
#include <atomic>
#include <boost/noncopyable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace usershell::test {
/// Two ends that are connected: closing the second makes the first hang up.
std::pair<Descriptor, Descriptor> connected_pair();

struct Received {
    std::string head; ///< request line and headers, CRLF line ends, without the blank line
    std::string body;
    std::string line() const { return head.substr(0, head.find("\r\n")); }
    /// A header's value, name in any case; "" when there is none.
    std::string header(std::string_view name) const;
};

class Connection {
public:
    Connection(Descriptor socket, int number) : socket_{std::move(socket)}, number_{number} {}
    int number() const { return number_; } ///< 0 for the first that came
    /// The next HTTP request (Content-Length bodies); an empty head when the peer has gone.
    Received request();
    /// Up to and with the next LF, without it and a CR; "" at the end.
    std::string line();
    bool send(std::string_view bytes); ///< false when the peer has gone
    /// Head with Content-Length and the body.
    bool answer(int status, std::string_view content_type, std::string_view body,
                std::string_view more_headers = {});
    void wait_for_peer_to_close();
    void close();
    /// Closes so that the peer gets a reset.
    void reset();
    /// Wakes a script that waits; for the server, from another thread.
    void interrupt();

private:
    bool fill();
    Descriptor socket_;
    std::mutex closing_;
    int number_;
    std::string unread_;
};

class ScriptedServer : boost::noncopyable {
public:
    using Script = std::function<void(Connection&)>;
    explicit ScriptedServer(Script script);
    ~ScriptedServer();
    std::uint16_t port() const { return port_; }
    /// "127.0.0.1:port", also as the row of an egress policy.
    std::string authority() const { return "127.0.0.1:" + std::to_string(port_); }
    std::string url(std::string_view path = {}) const {
        return "http://" + authority() + std::string{path};
    }
    int connections() const { return connections_; }
    /// Waits until every connection's script has ended.
    void finish();

private:
    struct Guest {
        std::shared_ptr<Connection> connection;
        std::thread thread;
    };
    void accept_all();
    void greet(int socket);
    Script script_;
    Descriptor listener_;
    Descriptor stop_, stopped_;
    std::uint16_t port_ = 0;
    std::atomic<int> connections_ = 0;
    std::mutex lock_;
    std::vector<Guest> guests_;
    std::thread acceptor_;
};
} // namespace usershell::test
