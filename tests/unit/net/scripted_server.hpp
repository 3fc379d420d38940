// A server on a free loopback port. Every connection runs a test's script in a thread of its own;
// the end closes and joins them all. A script that waits, waits for its peer.
#pragma once
#include "runtime/descriptor.hpp"
#include "tests/unit/test.hpp"
#include <cstdint>
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
struct Connection {
    Connection(Descriptor socket, int number) : socket_{std::move(socket)}, number_{number} {}
    int number() const { return number_; } ///< 0 for the first that came
    /// The next HTTP request (Content-Length bodies); an empty head when the peer has gone.
    Received request();
    /// Up to and with the next LF, without it and a CR; "" at the end.
    std::string line();
    bool send(std::string_view bytes) const; ///< false when the peer has gone
    bool answer(int status, std::string_view content_type, std::string_view body,
                std::string_view more_headers = {}) const;
    void wait_for_peer_to_close();
    void close();
    void reset();
    /// Wakes a script that waits; for the server, from another thread.
    void interrupt();
    bool fill();
    Descriptor socket_;
    std::mutex closing_;
    int number_;
    std::string unread_;
};
struct ScriptedServer : boost::noncopyable {
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
    void finish();
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
