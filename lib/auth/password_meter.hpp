// Counts how checks of passwords end, for operators: a flood of wrong ones shows here. Thread-safe.
#pragma once

#include "metrics/registry.hpp"

#include <string>

namespace usershell::auth {

enum class PasswordOutcome { right, wrong, throttled, busy };

class PasswordMeter {
public:
    /// Throws Error.
    explicit PasswordMeter(const std::string& folder)
        : registry_{folder,
                    "passwords",
                    {{.name = "usershell_password_checks_total",
                      .help = "Checks of a password, by how they ended.",
                      .kind = metrics::Kind::counter,
                      .labels = {{"outcome", {"right", "wrong", "throttled", "busy"}}}}}} {}

    void count(PasswordOutcome outcome) { registry_.count(0, {static_cast<std::size_t>(outcome)}); }

    const metrics::Registry& registry() const { return registry_; }

private:
    metrics::Registry registry_;
};

} // namespace usershell::auth
