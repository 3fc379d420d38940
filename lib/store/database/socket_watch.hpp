// Ends a wait for a server that no longer answers. libpq waits for an answer without a limit of its
// own, and a frozen server keeps its connections open. When the time of a statement is over, a
// thread shuts the connection's socket, and the statement fails as on a lost connection. Never by a
// cancel request, which a frozen server obeys when it is awake again. Thread-safe. Inside lib/store
// only.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace usershell::store {

class SocketWatch {
public:
    using Clock = std::chrono::steady_clock;

    SocketWatch();
    ~SocketWatch();
    SocketWatch(const SocketWatch&) = delete;
    SocketWatch& operator=(const SocketWatch&) = delete;

    /// Shuts that socket unless end() comes in time, at most `precision` later. The socket stays
    /// open until end().
    void begin(int socket, Clock::time_point until);
    void end(int socket);

    static constexpr std::chrono::milliseconds precision{250};

private:
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<int, Clock::time_point> waits_;
    bool idle_ = true; ///< the thread sleeps until there is a wait
    bool over_ = false;
    std::thread thread_;
};

} // namespace usershell::store
