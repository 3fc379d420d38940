#include "base/error.hpp"
#include "crypto/ring/files.hpp"
#include "ctl/command.hpp"
#include "ctl/init/administrator.hpp"
#include "ctl/rings/resigning.hpp"
#include "ctl/system/confinement.hpp"
#include "store/database/conninfo.hpp"
#include "store/migrations/migrate.hpp"
#include "store/rings.hpp"

#include <iostream>
#include <optional>

namespace usershell::ctl {

namespace {

constexpr const char* rewrap_role = "usershell_rewrap";
constexpr const char* system_user = "usershell-rewrap";

struct Count {
    int sealed_anew = 0;
    int changed_meanwhile = 0;
    int not_opened = 0;
};

void rewrap_one(store::Lease& lease, const crypto::Rewrapper& rewrapper,
                const store::KeyToRewrap& key, Count& count) {
    try {
        const auto sealed = rewrapper.rewrap({key.owner, key.provider, key.id, key.sealed});
        ++(store::swap_envelope(lease, key, sealed) ? count.sealed_anew : count.changed_meanwhile);
    } catch (const crypto::UnsealError&) {
        ++count.not_opened;
    }
}

Count rewrap_all(const std::string& connection, const crypto::Rewrapper& rewrapper,
                 const store::RewrapTarget& target) {
    constexpr int at_a_time = 100;
    store::Database database{connection, 1, {.limit = std::chrono::hours{24}}};
    store::require_schema(database);
    store::Lease lease{database};
    Count count;
    UserId owner = global_owner();
    std::string id = owner.text();
    for (;;) {
        const auto keys = store::keys_to_rewrap(lease, target, at_a_time, owner, id);
        if (keys.empty()) return count;
        for (const auto& key : keys) rewrap_one(lease, rewrapper, key, count);
        owner = keys.back().owner;
        id = keys.back().id;
    }
}

void report(const Count& count, const crypto::RingKeyId& target) {
    std::cout << "Sealed " << count.sealed_anew << " keys to " << target.text() << ".\n";
    if (count.changed_meanwhile != 0)
        std::cout << count.changed_meanwhile << " were replaced or deleted meanwhile.\n";
    if (count.not_opened != 0)
        throw Error{std::to_string(count.not_opened) +
                    " keys do not open and stay as they are: they have to be entered again."};
}

} // namespace

void ring_rewrap(const Settings& settings, Arguments& arguments) {
    const bool with_network = arguments.flag("with-network");
    const auto signer = arguments.option("signer");
    const std::string user = arguments.option("user").value_or(system_user);
    arguments.finish();
    if (!with_network && !is_local(settings.database))
        throw UsageError{"This works without a network, and PostgreSQL is on another machine; "
                         "--with-network keeps it."};
    const auto vault = crypto::load_ring_in<crypto::VaultSecret>(settings.rings);
    const auto target = crypto::load_ring_in<crypto::VaultPublic>(settings.rings);
    const auto web = crypto::load_ring_in<crypto::WebPublic>(settings.rings);
    const crypto::Rewrapper rewrapper{vault, target, web,
                                      signer ? resign_by(*signer) : crypto::Rewrapper::Resign{}};
    confine(user, with_network);
    const auto connection = store::with_keywords(settings.database, {{"user", rewrap_role}});
    report(rewrap_all(connection, rewrapper,
                      {target.active, signer ? std::optional{web.active} : std::nullopt}),
           target.active);
}

} // namespace usershell::ctl
