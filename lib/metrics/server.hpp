// What operators ask a program: HTTP on a Unix socket of its own, which no browser reaches. Who may
// ask is whom the socket's group lets in; no address decides.
//   GET /health    200, or 503 with one sentence
//   GET /metrics   Prometheus's text format
#pragma once

#include "base/process/listener.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace usershell::metrics {

struct Answers {
    std::function<std::optional<std::string>()> trouble; ///< one sentence; nothing: all is well
    std::function<std::string()> metrics;
    std::function<void()> sample; ///< called every second
};

/// A thread of its own, on which the answers are made. May throw what the system refuses.
class Server {
public:
    Server(Listener listener, Answers answers);
    /// Ends conversations under way.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

private:
    class Loop;
    std::unique_ptr<Loop> loop_;
};

} // namespace usershell::metrics
