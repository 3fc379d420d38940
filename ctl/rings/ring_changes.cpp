#include "base/error.hpp"
#include "crypto/avatar_box.hpp"
#include "crypto/ring/files.hpp"
#include "ctl/command.hpp"
#include "ctl/table.hpp"
#include "store/installation.hpp"
#include "store/rings.hpp"

#include <algorithm>
#include <iostream>

namespace usershell::ctl {

void ring_list(const Settings& settings, Arguments& arguments) {
    Table table{arguments,
                {{"ring"},
                 {"id"},
                 {"created"},
                 {"state"},
                 {"keys", "", " keys"},
                 {"legacy", "", " legacy entries"},
                 {"mails", "", " mails"},
                 {"avatars", "", " avatars"},
                 {"apps", "", " apps"}}};
    arguments.finish();
    OperatorStore store{settings};
    auto uses = store::ring_uses(store);
    const auto add = [&table](std::string ring, std::string id, Cell created, std::string state,
                              const store::RingUses& count) {
        table.add({std::move(ring), std::move(id), std::move(created), std::move(state), count.keys,
                   count.legacy, count.mails, count.avatars, count.apps});
    };
    for (const auto role : crypto::all_ring_roles) {
        for (const auto& key : crypto::RingFiles{role, settings.rings}.keys()) {
            add(std::string{crypto::name_of(role)}, key.id.text(), key.created,
                key.is_active ? "active" : "kept", uses[key.id.text()]);
            uses.erase(key.id.text());
        }
    }
    for (const auto& [id, count] : uses) add("?", id, {}, "not in the files", count);
    table.print();
}

namespace {

using crypto::RingRole;

RingRole role_argument(Arguments& arguments) {
    const std::string word = arguments.next("RING");
    const auto* const found = std::ranges::find(
        crypto::all_ring_roles, word, [](RingRole role) { return crypto::name_of(role); });
    if (found == crypto::all_ring_roles.end())
        throw UsageError{"The rings are vault, web, auth and mail."};
    return *found;
}

crypto::RingKeyId key_argument(Arguments& arguments) {
    const auto id = crypto::RingKeyId::parse(arguments.next("KEY"));
    if (!id) throw UsageError{"A key's id is 32 hexadecimal digits: see ring list."};
    return *id;
}

/// The programs to restart: first those that open or verify with the ring, then the one that seals
/// or signs with it.
struct Readers {
    std::string_view first;
    std::string_view then;
};
Readers readers_of(RingRole role) {
    switch (role) {
    case RingRole::vault:
    case RingRole::web:
        return {"usershell-opener", "usershell-manage"};
    case RingRole::auth:
    case RingRole::mail:
        break;
    }
    return {"usershell-mail", "usershell-auth"};
}

/// The files, which are this installation's.
crypto::RingFiles own_files(const Settings& settings, store::Lease& store, RingRole role) {
    crypto::RingFiles files{role, settings.rings};
    store::require_rings(store, {files.summary()});
    return files;
}

/// Encrypts the avatars of that key with the active one, which every process has by now.
void move_avatars(const Settings& settings, store::Lease& store, const crypto::RingKeyId& id) {
    const auto web = crypto::load_ring_in<crypto::WebSecret>(settings.rings);
    UserId after = global_owner();
    while (const auto avatar = store::next_avatar(store, id, after)) {
        const auto image = crypto::open_avatar(web, avatar->owner, avatar->id,
                                               crypto::SealedAvatar{avatar->sealed});
        if (image)
            store::swap_avatar(store, *avatar,
                               crypto::seal_avatar(web, avatar->owner, avatar->id, *image).bytes());
        after = avatar->owner;
    }
}

/// Likewise: the secrets of those apps go under masks of the active key.
void move_apps(const Settings& settings, store::Lease& store, const crypto::RingKeyId& id) {
    const auto auth = crypto::load_ring_in<crypto::AuthSecret>(settings.rings);
    UserId after = global_owner();
    while (const auto app = store::next_app(store, id, after)) {
        const auto mask_of = [&](const crypto::RingKeyId& key) {
            return crypto::app_mask(auth, key.text(), app->owner, app->salt).value();
        };
        store::swap_app_mask(store, *app, auth.active, mask_of(id), mask_of(auth.active));
        after = app->owner;
    }
}

void refuse_what_is_used(const crypto::RingKeyId& id, const store::RingUses& uses) {
    if (!uses.any()) return;
    throw Error{"The key " + id.text() + " is needed by " + std::to_string(uses.keys) + " keys, " +
                std::to_string(uses.legacy) + " legacy entries, " + std::to_string(uses.mails) +
                " mails, " + std::to_string(uses.avatars) + " avatars and " +
                std::to_string(uses.apps) +
                " apps. With --invalidate it is removed, and they never open again."};
}

} // namespace

void ring_rotate(const Settings& settings, Arguments& arguments) {
    const RingRole role = role_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    auto files = own_files(settings, store, role);
    const auto id = files.add();
    // Registered before it is in any file: a program refuses to start with a key that is not
    // registered.
    store::register_key(store, role, id);
    files.save();
    const auto [first, then] = readers_of(role);
    std::cout << "Added the key " << id.text() << " to " << crypto::ring_file_name(role, true)
              << " and " << crypto::ring_file_name(role, false)
              << "; it is not active yet.\nNow restart " << first
              << ", on every machine, so that it is known there. Then:\n  usershellctl ring "
                 "activate "
              << crypto::name_of(role) << ' ' << id.text() << "\n";
}

void ring_activate(const Settings& settings, Arguments& arguments) {
    const RingRole role = role_argument(arguments);
    const auto chosen = arguments.empty() ? std::nullopt : std::optional{key_argument(arguments)};
    arguments.finish();
    OperatorStore store{settings};
    auto files = own_files(settings, store, role);
    const auto id = chosen.value_or(files.keys().back().id);
    files.activate(id);
    files.save();
    std::cout << "The key " << id.text() << " is active. Now restart " << readers_of(role).then
              << ", on every machine: what is new is from then on "
              << (crypto::signs(role) ? "signed by it" : "sealed to it")
              << ". The old keys stay; ring list shows which data needs them.\n";
}

void ring_drop(const Settings& settings, Arguments& arguments) {
    const bool invalidate = arguments.flag("invalidate");
    const RingRole role = role_argument(arguments);
    const auto id = key_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    auto files = own_files(settings, store, role);
    files.drop(id); // refuses the active key; the files are written below
    if (role == RingRole::web) move_avatars(settings, store, id);
    if (role == RingRole::auth) move_apps(settings, store, id);
    store::forget_key(store, id, [&](const store::RingUses& uses) {
        if (!invalidate) refuse_what_is_used(id, uses);
        // Removed from the files before it is unregistered, for the same reason as in
        // ring_rotate().
        files.save();
    });
    std::cout << "Dropped the key " << id.text()
              << ". Now reload the programs that have this ring.\n";
}

} // namespace usershell::ctl
