// The executing program: what its handlers share. Built once at start, outlives every request; all
// parts are thread-safe. This program can open keys and not write them.
#pragma once

#include "adapters/calls.hpp"
#include "base/settings/config.hpp"
#include "crypto/unseal/unseal.hpp"
#include "net/http_client.hpp"
#include "store/database/database.hpp"

namespace usershell::execute {

class Services {
public:
    /// Loads the rings. Throws RingError or ConfigError with one sentence.
    explicit Services(const Settings& settings);

    /// Throws Error with one sentence when the store has not this program's schema, or
    /// is of another installation than the rings.
    void require_store();

    const Settings& settings;
    store::Database database;
    crypto::VaultSecret vault_ring;
    crypto::WebPublic web_ring;
    crypto::Unsealer unsealer;
    net::HttpClient http;

    /// Bounds of a call in the playground; of the answers to a list; and of a connectivity check.
    net::HttpLimits chat_limits() const;
    net::HttpLimits list_limits() const;
    net::HttpLimits check_limits() const;
};

} // namespace usershell::execute
