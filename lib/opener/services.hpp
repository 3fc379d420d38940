// What usershell-opener is made of: settings, store, rings, and the opener of keys. It alone can
// open keys. Built once at start, outlives every request; thread-safe.
#pragma once

#include "crypto/ring/ring.hpp"
#include "crypto/unseal/unseal.hpp"
#include "domain/settings/config.hpp"
#include "metrics/registry.hpp"
#include "opener/wire/protocol.hpp"
#include "store/database/database.hpp"

#include <vector>

namespace usershell::opener {

class Services {
public:
    /// Loads the rings. Throws RingError or ConfigError with one sentence.
    explicit Services(const Settings& settings);

    /// Throws Error with one sentence when the store has not this program's schema, or
    /// is of another installation than the rings.
    void require_store();
    /// The rings that it has.
    std::vector<crypto::RingSummary> rings() const;

    /// Answers and counts one request.
    Answer answer(const Request& request);

    const Settings& settings;
    store::Database database;
    crypto::VaultSecret vault;
    crypto::WebPublic web;
    crypto::Unsealer unsealer;
    metrics::Registry requests; ///< by kind and outcome
};

} // namespace usershell::opener
