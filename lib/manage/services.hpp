// The services that the handlers of usershell-manage share. Built once at start, they outlive every
// request; all parts are thread-safe. This program can seal keys and not open them.
#pragma once

#include "crypto/avatar_box.hpp"
#include "crypto/envelope/sealers.hpp"
#include "crypto/ring/ring.hpp"
#include "domain/address/address.hpp"
#include "domain/settings/config.hpp"
#include "pipeline/route.hpp"
#include "runtime/permits.hpp"
#include "store/database/database.hpp"
#include "web/pages.hpp"

#include <string>

namespace usershell::manage {

class Services {
public:
    /// Loads rings and templates. Throws Error with one sentence.
    explicit Services(const Settings& settings);

    /// Throws Error with one sentence when the store has not this program's schema, or
    /// is of another installation than the rings.
    void require_store();
    /// The rings that it has.
    std::vector<crypto::RingSummary> rings() const;

    const Settings& settings;
    store::Database database;
    web::Pages pages;
    crypto::WebSecret web_ring;
    crypto::VaultPublic vault_ring;
    crypto::KeySealer key_sealer;
    EgressPolicy egress;
    Permits decode_permits;
};

/// A handler of a route.
using Handler = web::Response(Services& services, pipeline::RequestContext& context);

/// `services` outlives the routes.
pipeline::Routes manage_routes(Services& services);

/// The entries of the earlier flat vault become providers and accounts, a transaction a user; logs
/// those that did not fit. Several processes may do so at a time; when one is killed, the next
/// start does the rest. Throws no exception: a fold that cannot run is logged, and stops no start.
void fold_legacy_vault(Services& services);
/// "Two older keys did not fit.", for a person's page; empty when none.
Sentence older_keys_note(int count);

} // namespace usershell::manage
