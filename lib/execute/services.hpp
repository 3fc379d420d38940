// The services that the handlers of usershell-execute share. They are built once at start, outlive
// every request and are thread-safe. This program can open keys and not write them.
#pragma once

#include "adapters/calls.hpp"
#include "crypto/unseal/unseal.hpp"
#include "domain/rules.hpp"
#include "domain/settings/config.hpp"
#include "execute/calls/call_endings.hpp"
#include "execute/calls/call_meter.hpp"
#include "execute/calls/call_register.hpp"
#include "execute/relay/user_shares.hpp"
#include "net/http_client.hpp"
#include "runtime/blocking_pool.hpp"
#include "runtime/call_memory.hpp"
#include "store/database/database.hpp"

namespace usershell::execute {

/// The times and sizes of each request of a call, and what all of them may cost.
struct CallLimits : net::HttpLimits {
    int requests = rules::max_call_requests;
    std::chrono::nanoseconds work = rules::max_chat_work;
};

class Services {
public:
    /// Loads the rings. Throws RingError or ConfigError with one sentence.
    explicit Services(const Settings& settings);

    /// Throws Error with one sentence when the store has not this program's schema, or
    /// is of another installation than the rings.
    void require_store();
    /// The rings that it has.
    std::vector<crypto::RingSummary> rings() const;

    const Settings& settings;
    store::Database database;
    crypto::VaultSecret vault_ring;
    crypto::WebPublic web_ring;
    crypto::Unsealer unsealer;
    CallRegister calls;
    CallMeter meter;
    UserShares waiting;   ///< calls of tools that wait for a slot
    Loop loop;            ///< what calls wait on; run by main
    MemoryShares memory;  ///< of what strangers make calls keep
    BlockingPool threads; ///< for the parts of a call that ask the store or open a key
    BlockingPool
        readers; ///< for those that read what strangers have written; no key is opened there
    CallEndings endings;
    net::HttpClient http;

    /// Renews the slots of the calls under way, ends those that have lost their right to run, and
    /// gives back the memory of a burst that is over; returns when to do it again.
    std::chrono::milliseconds upkeep();

    /// The threads for what that user has sent or caused to be sent.
    PoolLane readers_of(const UserId& user) { return {readers, user.text()}; }

    /// Limits of a playground call, of the request for a model list, of a connectivity check, and
    /// of a tool's call.
    CallLimits chat_limits() const;
    CallLimits list_limits() const;
    CallLimits check_limits() const;
    CallLimits relay_limits() const;

private:
    Task<> end(std::vector<store::CallId> lost);
};

} // namespace usershell::execute
