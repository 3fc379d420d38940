// The HTTP server for operators, on a Unix socket of its own that no browser reaches. The socket's
// group decides who may ask.
//   GET /health   200, or 503 with one sentence
//   GET /metrics  Prometheus's text format
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

/// Answers on a thread of its own. The constructor throws std::system_error or
/// boost::system::system_error when the system refuses a thread or descriptor.
class Server {
public:
    Server(Listener listener, Answers answers);
    /// Cuts off requests that are being answered.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

private:
    class Loop;
    std::unique_ptr<Loop> loop_;
};

} // namespace usershell::metrics
