// How much mail waits, for operators. Used by one thread.
#pragma once

#include "mail/services.hpp"
#include "metrics/registry.hpp"

namespace usershell::mail {

class OutboxGauges {
public:
    /// Throws Error.
    explicit OutboxGauges(Services& services);

    /// Asks the store, at most every ten seconds. While the store can't be reached, the gauges keep
    /// their last values.
    void sample();

    const metrics::Registry& registry() const { return registry_; }

private:
    Services& services_;
    metrics::Registry registry_;
    std::chrono::steady_clock::time_point next_{};
};

} // namespace usershell::mail
