#include "store/providers/provider_parts.hpp"

namespace usershell::store {

namespace {

const Statement lock{
    "lock_provider",
    by_manage,
    {"SELECT 1 FROM usershell.providers WHERE owner_id = $1 AND id = $2 FOR NO KEY UPDATE"}};

} // namespace

void lock_provider(Transaction& transaction, const UserId& owner, const ProviderId& provider) {
    if (transaction.run(lock, owner, provider).empty()) throw not_found();
}

std::optional<Bytes> bytes_of(const StoredKey* key) {
    if (key == nullptr) return std::nullopt;
    return Bytes{key->sealed.bytes()};
}

std::string hint_of(const StoredKey* key) { return key == nullptr ? std::string{} : key->hint; }

std::string address_of(const StoredKey* key) {
    return key == nullptr ? std::string{} : key->address;
}

Refusal cap_reached(English things, int max) {
    return {ErrorCode::cap_reached,
            {"There can be at most {count} {things}."_en,
             {{"count", std::to_string(max)}, {"things", things}}}};
}

} // namespace usershell::store
