// The services that the handlers of usershell-execute share. They are built once at start, outlive
// every request and are thread-safe. This program has no ring: usershell-opener opens keys for the
// calls that it begins.
#pragma once

#include "adapters/calls.hpp"
#include "domain/rules.hpp"
#include "domain/settings/config.hpp"
#include "execute/calls/call.hpp"
#include "net/http_client.hpp"
#include "opener/wire/client.hpp"
#include "runtime/blocking_pool.hpp"
#include "store/database/database.hpp"

#include <mutex>
#include <optional>

namespace usershell::execute {

/// The times and sizes of each request of a call, and what all of them may cost.
struct CallLimits : net::HttpLimits {
    int requests = rules::max_call_requests;
    std::chrono::nanoseconds work = rules::max_chat_work;
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
    explicit Services(const Settings& settings);

    /// Throws Error with one sentence when the store has not this program's schema.
    void require_store();
    /// Access tokens of this installation are good here. The store is asked once.
    const InstallationId& installation();
    /// The threads for what that user has sent or caused to be sent.
    PoolLane readers_of(const UserId& user) { return {readers, user.text()}; }

    const Settings& settings;
    store::Database database;
    opener::Client opener;
    Loop loop;            ///< what calls wait on; run by main
    BlockingPool threads; ///< for the parts of a call that ask the store or the opener
    BlockingPool ends;    ///< that free what calls have taken, whatever the others wait for
    BlockingPool readers; ///< for those that read what strangers have written
    Calls calls;
    Upstream upstream;

private:
    std::once_flag has_asked_;
    std::optional<InstallationId> installation_;
};

} // namespace usershell::execute
