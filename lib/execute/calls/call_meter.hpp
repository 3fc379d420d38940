// Counts how calls to providers end, key by key, by the provider's type and the reason, and how
// many are under way; for operators. Thread-safe.
#pragma once

#include "execute/calls/call_failure.hpp"
#include "metrics/registry.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace usershell::execute {

class CallMeter {
public:
    /// Throws Error.
    explicit CallMeter(const std::string& folder);

    /// Counts a key that was tried; `failure`: null when the provider has answered. A type that
    /// is not in the catalogue (any more) counts as "other".
    void tried(std::string_view type, const CallFailure* failure);

    void under_way(std::size_t calls);
    /// Of the memory that strangers make calls keep.
    void reserved(std::size_t bytes);

    const metrics::Registry& registry() const { return registry_; }

private:
    metrics::Registry registry_;
};

} // namespace usershell::execute
