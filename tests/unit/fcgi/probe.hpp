// A worker in a process of its own, with a folder of its own; ended with the test.
#pragma once
#include "base/process/descriptor.hpp"
#include "fastcgi_client.hpp"
#include "tests/unit/temporary_folder.hpp"
#include <boost/noncopyable.hpp>
#include <string>
#include <sys/types.h>
#include <vector>

namespace usershell::fcgi {
struct ProbeStart {
    std::vector<std::string> options{};     ///< see worker_probe.cpp
    int listener = -1;                      ///< given to the probe as LISTEN_FDS
    std::vector<std::string> environment{}; ///< NAME=value
};

class Probe : boost::noncopyable {
public:
    /// Starts it; with an own socket in `folder` unless there is a listener or a socket option.
    Probe(const test::TemporaryFolder& folder, ProbeStart start);
    ~Probe();
    /// Waits for this message of sd_notify(3).
    void wait_notified(const std::string& message);
    /// Lets so many requests of /hold and /stream go on.
    void release(std::size_t holds) const;
    void signal(int number) const;
    /// Waits for the end: the exit status, or minus the signal.
    int wait_end();
    /// Whether it has written this to standard error up to now.
    bool logged(const std::string& text) const { return log().find(text) != std::string::npos; }
    /// How many requests of /hold have got a thread.
    int held() const;
    const std::string& socket() const { return socket_; }
    Reply ask(const std::string& body = {}) const { return fcgi::ask(socket_, "/", body); }

private:
    [[noreturn]] void run_child(const ProbeStart& start, int release) const;
    std::string log() const;
    std::string socket_, notify_path_, log_path_;
    Descriptor notify_;
    Descriptor release_;
    pid_t pid_ = -1;
};

/// A probe with its own socket that is ready to serve.
class ReadyProbe : public test::TemporaryFolder, public Probe {
public:
    explicit ReadyProbe(std::vector<std::string> options = {});
};

/// A listening Unix stream socket.
Descriptor listen_at(const std::string& path);
} // namespace usershell::fcgi
