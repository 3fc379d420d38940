// Counts the answered requests of a program, for its operators: how many by method, route and
// status, how long they took by route. Thread-safe; built once at start, outlives every request.
#pragma once

#include "metrics/registry.hpp"
#include "web/message.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::pipeline {

class RequestMeter {
public:
    /// `folder`: see metrics::Registry. `patterns`: of the routes, some of them several times.
    /// Throws Error.
    RequestMeter(const std::string& folder, std::vector<std::string_view> patterns);

    /// `pattern`: one of the routes', or anything else for a request that has no route.
    void count(web::Method method, std::string_view pattern, int status,
               std::chrono::microseconds duration);

    const metrics::Registry& registry() const { return registry_; }

private:
    std::vector<std::string_view> patterns_; ///< sorted, each once
    metrics::Registry registry_;
};

} // namespace usershell::pipeline
