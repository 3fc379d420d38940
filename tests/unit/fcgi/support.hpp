// A FastCGI client that can also write records wrongly, whose reads give up after 20 s; and a
// worker in a process of its own, with a folder of its own, ended with the test.
#pragma once
#include "runtime/descriptor.hpp"
#include "tests/unit/test.hpp"
#include <cstdint>
#include <fastcgi.h>
namespace usershell::fcgi {
using Pairs = std::vector<std::pair<std::string, std::string>>;
std::string record(std::uint8_t type, std::uint16_t id, std::string_view content,
                   std::size_t padding = 0);
std::string begin_record(std::uint16_t id = 1, std::uint8_t role = FCGI_RESPONDER);
std::string name_value(std::string_view name, std::string_view value);
/// BEGIN, PARAMS and STDIN with these contents, in pieces and padded.
std::string request_records(std::string_view params, std::string_view body = {});
/// The same with the usual parameters, then `extra`.
std::string whole_request(const std::string& method, const std::string& uri,
                          const std::string& body = {}, const Pairs& extra = {});
struct Reply {
    bool ended = false; ///< FCGI_END_REQUEST came
    std::string output; ///< all of FCGI_STDOUT
    int status() const;
    /// "" when missing. Fails the test when it is there twice.
    std::string header(const std::string& name) const;
    std::string body() const;
};
struct Client {
    explicit Client(Descriptor socket);
    explicit Client(const std::string& socket_path);
    /// False when the peer closes before it has read all.
    bool send(std::string_view bytes) const;
    void finish_sending() const;
    Reply read_reply();
    void read_until(std::string_view text);
    void close() { socket_.reset(); }
    bool receive();
    Descriptor socket_;
    std::string pending_;
    Reply reply_;
};
struct ProbeStart {
    std::vector<std::string> options{};     ///< see worker_probe.cpp
    int listener = -1;                      ///< given to the probe as LISTEN_FDS
    std::vector<std::string> environment{}; ///< NAME=value
};
struct Probe : boost::noncopyable {
    /// Starts it; with an own socket in `folder` unless there is a listener or a socket option.
    Probe(const test::TemporaryFolder& folder, ProbeStart start);
    ~Probe();
    void wait_notified(const std::string& message) const;
    void release(std::size_t holds) const;
    void signal(int number) const;
    /// Waits for the end: the exit status, or minus the signal.
    int wait_end();
    bool logged(const std::string& text) const { return log().find(text) != std::string::npos; }
    int held() const;
    const std::string& socket() const { return socket_; }
    Reply ask(const std::string& body = {}) const {
        Client client{socket_};
        client.send(whole_request("POST", "/", body));
        return client.read_reply();
    }
    [[noreturn]] void run_child(const ProbeStart& start, int release) const;
    std::string log() const;
    std::string socket_, notify_path_, log_path_;
    Descriptor notify_;
    Descriptor release_;
    pid_t pid_ = -1;
};
struct ReadyProbe : public test::TemporaryFolder, public Probe {
    explicit ReadyProbe(std::vector<std::string> options = {});
};
Descriptor listen_at(const std::string& path);
} // namespace usershell::fcgi
