// A worker in a process of its own, with a folder of its own; ended with the test.
#pragma once
#include "tests/unit/fcgi/fastcgi_client.hpp"
#include "tests/unit/temporary_folder.hpp"
namespace usershell::fcgi {
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
