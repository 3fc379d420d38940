// The HTTP server for monitoring, on a Unix socket of its own. Only members of the socket's group
// can connect.
//   GET /health   200, or 503 with one sentence
//   GET /metrics  Prometheus's text format
#pragma once

#include "runtime/listener.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace usershell::metrics {

struct Answers {
    std::function<std::optional<std::string>()> trouble; ///< one sentence; null when all is well
    std::function<std::string()> metrics;
    std::function<void()> sample; ///< called every second
};

/// Answers on threads of its own: it must answer when all threads of the program are busy. The
/// constructor throws SystemError when there is no thread or descriptor left.
class Server {
public:
    Server(Listener listener, Answers answers);
    /// Cuts off requests that are being answered.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

private:
    class Service;
    std::unique_ptr<Service> service_;
};

} // namespace usershell::metrics
