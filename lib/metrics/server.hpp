// The HTTP server for monitoring, on a Unix socket of its own. Only members of the socket's group
// can connect.
//   GET /health   200, or 503 with one sentence
//   GET /metrics  Prometheus's text format
#pragma once

#include "metrics/registry.hpp"
#include "runtime/listener.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace usershell::metrics {

/// The data of the server. The objects that it refers to outlive the server.
struct Sources {
    std::function<void()> require_store; ///< throws Error or Refusal when not healthy
    std::vector<const Registry*> registries;
    std::function<void()> sample; ///< called every second, sets the gauges of this process
    std::string constants{};      ///< metrics that never change, as text
};

/// Answers on threads of its own: it must answer when all threads of the program are busy. The
/// constructor throws SystemError when there is no thread or descriptor left.
class Server {
public:
    Server(Listener listener, Sources sources);
    /// Cuts off requests that are being answered.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

private:
    class Service;
    std::unique_ptr<Service> service_;
};

} // namespace usershell::metrics
