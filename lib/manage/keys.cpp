#include "manage/keys.hpp"

#include "base/log.hpp"

namespace usershell {
namespace {

PublicScope scope_of(const Manage& manage, Lease& lease, const UserId& owner) {
    const Sealer& sealer = manage.sealer;
    if (auto scope = current_scope(lease, owner);
        scope && scope->ring_key == sealer.active_ring_key()) {
        if (sealer.vouches_for(owner, scope->ring_key, scope->public_key, scope->voucher)) {
            return *std::move(scope);
        }
        log(Level::warning, "scope without our voucher left aside", {{"user", owner.text()}});
    }
    const Scope made = sealer.make_scope(owner);
    return {add_scope(lease, owner, made), made.ring_key, made.public_key, made.voucher};
}

} // namespace

StoredKey seal_key(const Manage& manage, Lease& lease, const KeyBinding& binding,
                   const Secret& key) {
    const PublicScope scope = scope_of(manage, lease, binding.owner);
    return {manage.sealer.seal(binding, key, scope.public_key), scope.id, key_hint(key)};
}

} // namespace usershell
