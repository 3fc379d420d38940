#include "manage/providers/keys.hpp"

#include "base/log.hpp"

namespace usershell::manage {
namespace {

store::PublicScope scope_of(const Services& services, store::Lease& lease, const UserId& owner) {
    const crypto::Sealer& sealer = services.sealer;
    if (auto scope = store::current_scope(lease, owner);
        scope && scope->ring_key == sealer.active_ring_key()) {
        if (sealer.vouches_for(owner, scope->ring_key, scope->public_key, scope->voucher)) {
            return *std::move(scope);
        }
        log(Level::warning, "scope without our voucher left aside", {{"user", owner.text()}});
    }
    const crypto::Scope made = sealer.make_scope(owner);
    return {store::add_scope(lease, owner, made), made.ring_key, made.public_key, made.voucher};
}

} // namespace

store::StoredKey seal_key(const Services& services, store::Lease& lease,
                          const crypto::KeyBinding& binding, const crypto::Secret& key) {
    const store::PublicScope scope = scope_of(services, lease, binding.owner);
    return {services.sealer.seal(binding, key, scope.public_key), scope.id, crypto::key_hint(key)};
}

} // namespace usershell::manage
