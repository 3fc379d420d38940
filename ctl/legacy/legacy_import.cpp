#include "base/error.hpp"
#include "crypto/envelope/sealers.hpp"
#include "crypto/ring/files.hpp"
#include "crypto/token.hpp"
#include "ctl/command.hpp"
#include "ctl/legacy/key_lines.hpp"
#include "ctl/operator_store.hpp"
#include "store/installation.hpp"
#include "store/providers/legacy.hpp"
#include "store/users/user_admin.hpp"

#include <filesystem>
#include <iostream>

namespace usershell::ctl {

namespace {

store::LegacyEntry sealed_entry(store::Lease& store, const crypto::VaultEntrySealer& sealer,
                                KeyLine line) {
    const auto user = store::find_user(store, line.normalized_email);
    if (!user) throw Error{"there is nobody with the address " + line.shown_email + "."};
    const auto id = crypto::random_id<VaultEntryId>();
    return {user->id,      id,
            line.kind,     std::move(line.label),
            line.base_url, sealer.seal({user->id, id, line.kind, line.base_url}, line.key)};
}

} // namespace

void legacy_import(const Settings& settings, Arguments& arguments) {
    const bool wipe = arguments.flag("wipe");
    const std::filesystem::path path{arguments.next("FILE")};
    arguments.finish();
    const KeyFile file{path};
    const std::filesystem::path rings{settings.rings};
    const auto web = crypto::load_ring<crypto::WebSecret>(
        rings / crypto::ring_file_name(crypto::RingRole::web, true));
    const auto vault = crypto::load_ring<crypto::VaultPublic>(
        rings / crypto::ring_file_name(crypto::RingRole::vault, false));
    OperatorStore store{settings};
    store::require_rings(store, {crypto::summary_of(web), crypto::summary_of(vault)});
    const crypto::VaultEntrySealer sealer{web, vault};
    std::vector<store::LegacyEntry> entries;
    file.each(
        [&](KeyLine line) { entries.push_back(sealed_entry(store, sealer, std::move(line))); });
    store::add_legacy_entries(store, entries);
    if (wipe) file.wipe();
    std::cout << "Sealed " << entries.size()
              << " keys. They become providers' when usershell-manage starts the next time.\n";
    if (!wipe)
        std::cout << path.string()
                  << " still holds them in plain text: whoever reads it, or a backup of it, has "
                     "them. Remove it (shred -u), or import with --wipe.\n";
}

} // namespace usershell::ctl
