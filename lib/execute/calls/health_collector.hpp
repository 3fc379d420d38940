// Collects the health that one call shows of a provider and its keys, for the store. Pure; used by
// one thread.
#pragma once

#include "adapters/calls.hpp"
#include "execute/calls/call.hpp"
#include "execute/calls/call_failure.hpp"
#include "store/calls.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace usershell::execute {

struct TriedKey {
    std::optional<AccountId> account; ///< null: the provider's own key
    std::string digest;               ///< of its envelope
};

class HealthCollector {
public:
    /// `alone`: the account whose test this is; null for other calls. Such a test sets the
    /// health of that account, and the provider's only when the account is one of those in use.
    /// While another account in use works, as far as is known, a refused key makes the provider
    /// degraded, not unhealthy; while another one is known to fail, a success makes it degraded,
    /// not healthy. `provider` outlives the report.
    HealthCollector(const opener::CallProvider& provider, std::optional<AccountId> alone);

    /// The call failed with this key. That lowers the key's health when the failure is the key's
    /// fault, or when the key was tried alone. A failure that is the request's fault changes no
    /// key's health.
    void failed(const TriedKey& key, const CallFailure& failure);
    /// `others_left_out`: rotation skipped keys in cooldown.
    void succeeded(const TriedKey& key, bool others_left_out);
    /// The call as a whole has failed: if that makes the provider unhealthy, the failure's sentence
    /// becomes the provider's message, unless the call was ended or the opener was silent.
    void explain(const CallFailure& whole);

    /// Null: the call has shown no health. Call once, at the end.
    std::optional<store::HealthReport> take() {
        return any_ ? std::optional{std::move(report_)} : std::nullopt;
    }

private:
    void provider_is(store::Health health, const Sentence& message);
    void key_is(const TriedKey& key, store::Health health, const Sentence& message,
                std::optional<std::chrono::seconds> cooldown);
    /// Of the other accounts in use, besides the one tried alone: is one known to fail; does one
    /// work as far as is known?
    bool any_other_unhealthy() const;
    bool any_other_usable() const;
    bool reports_provider() const;

    const opener::CallProvider& provider_;
    std::optional<AccountId> alone_;
    store::HealthReport report_;
    bool any_ = false;
};

// The tokens that a call has taken of a model, for the usage that its user sees.

inline constexpr std::size_t bytes_of_token = 4; ///< roughly, of text

struct Spent {
    adapters::Usage told{};           ///< by the provider
    std::uint64_t request_tokens = 0; ///< of what the model was sent, by an estimate
    std::size_t answer_bytes = 0;     ///< of what the user got of its answer
};

/// The usage of a call that has ended so; `failure`: null when it has not failed. Where the
/// provider has not told both counts, or the answer has not come to its end, they are estimated by
/// the bytes, as no less than was told. A call that failed without an answer has taken no tokens.
store::CallUsage usage_of(const ProviderId& provider, const std::string& model, const Spent& spent,
                          const CallFailure* failure);

} // namespace usershell::execute
