// The services that the handlers of usershell-execute share. They are built once at start, outlive
// every request and are thread-safe. This program can open keys and not write them.
#pragma once

#include "adapters/calls.hpp"
#include "crypto/unseal/unseal.hpp"
#include "domain/rules.hpp"
#include "domain/settings/config.hpp"
#include "execute/calls/call.hpp"
#include "net/http_client.hpp"
#include "runtime/blocking_pool.hpp"
#include "store/database/database.hpp"

namespace usershell::execute {

/// The times and sizes of each request of a call, and what all of them may cost.
struct CallLimits : net::HttpLimits {
    int requests = rules::max_call_requests;
    std::chrono::nanoseconds work = rules::max_chat_work;
};

/// Opens keys, for KeyFailover alone.
struct Keys {
    /// Loads the rings. Throws RingError or ConfigError with one sentence.
    explicit Keys(const Settings& settings);
    std::vector<crypto::RingSummary> rings() const;

    crypto::VaultSecret vault;
    crypto::WebPublic web;
    crypto::Unsealer unsealer;
};

/// Reaches providers, with the limits of a playground call, of the request for a model list,
/// of a connectivity check, and of a tool's call.
struct Upstream {
    const Settings& settings;
    net::HttpClient http;

    CallLimits chat_limits() const;
    CallLimits list_limits() const;
    CallLimits check_limits() const;
    CallLimits relay_limits() const;
};

class Services {
public:
    /// Throws as Keys does.
    explicit Services(const Settings& settings);

    /// Throws Error with one sentence when the store has not this program's schema, or
    /// is of another installation than the rings.
    void require_store();
    /// The threads for what that user has sent or caused to be sent.
    PoolLane readers_of(const UserId& user) { return {readers, user.text()}; }

    const Settings& settings;
    store::Database database;
    Keys keys;
    Loop loop;            ///< what calls wait on; run by main
    BlockingPool threads; ///< for the parts of a call that ask the store or open a key
    BlockingPool
        readers; ///< for those that read what strangers have written; no key is opened there
    Calls calls;
    Upstream upstream;
};

} // namespace usershell::execute
