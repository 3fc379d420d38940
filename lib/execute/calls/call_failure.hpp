// Why a call gave no answer: with one key, or with every key that was tried. One type for what a
// provider said, for a connection that failed, and for a key that does not open.
#pragma once

#include "adapters/errors/upstream_error.hpp"
#include "base/error.hpp"
#include "crypto/envelope/unseal_error.hpp"
#include "metrics/registry.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

namespace usershell::execute {

/// 503: the call has lost its memory, or was given none (runtime/call_memory.hpp).
Refusal lost_memory();

struct CallFailure {
    /// The contract's words for a key that is not there or does not open.
    static constexpr std::string_view address_changed = "address_changed";
    static constexpr std::string_view key_unavailable = "key_unavailable";
    static constexpr std::array key_reasons{address_changed, key_unavailable};

    /// The model of the call, for the sentence that is shown; may be empty.
    explicit CallFailure(const adapters::UpstreamError& error, std::string called_model = {});
    explicit CallFailure(const crypto::UnsealError& error);
    /// A call that our own refusal has ended: no other party is to blame.
    explicit CallFailure(const Refusal& refusal);

    ErrorCode code;          ///< the answer when nothing has been sent yet
    std::string_view reason; ///< the contract's word
    Sentence sentence;       ///< for people, of our own words: may be stored
    English of_key;          ///< the same in few words: "key refused"
    std::optional<std::chrono::seconds> retry_after; ///< as the provider says
    adapters::Fault fault;
    bool next_key; ///< another key may succeed
    std::optional<std::chrono::seconds> cooldown{};
    std::string key_name{}; ///< the name of the account whose key alone was tried; empty for others
    std::string model{};    ///< that was called; may be empty
    adapters::ProviderSaid
        said{}; ///< for the answer to this call alone: never stored, never logged

    /// The sentence, and the model where the request is at fault.
    Sentence shown() const;
    /// As an answer of the route.
    Refusal refusal() const;
};

/// Writes `providerCode` and `providerSaid`, each where there is one.
void tell(const adapters::ProviderSaid& said, boost::json::object& members);

/// A key that was tried in vain.
struct FailedKey {
    std::string name; ///< of the account; empty for the provider's own key
    CallFailure failure;
};

/// The failure of the whole call: that of the last key, whose sentence, where several keys failed
/// each by its own fault, names them all and says why. `tries` is not empty.
CallFailure failure_of(const std::vector<FailedKey>& tries);
/// The same for the holder of an access token: with no name of a key or a model.
CallFailure for_tool(std::vector<FailedKey> tries);

// Counts how calls to providers end, key by key, by the provider's type and the reason, and how
// many are under way; for operators. Thread-safe.

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
