#include "store/providers/headers.hpp"

#include "domain/rules.hpp"
#include "store/providers/provider_parts.hpp"

namespace usershell::store {

namespace {

constexpr std::string_view where = "WHERE owner_id = $1 AND provider_id = $2 AND name = $3";

const Statement update_value{
    "set_header",
    by_manage,
    {"UPDATE usershell.provider_headers SET sealed_key = $4, key_address = $5", where}};

const Statement insert{"add_header", by_manage, {R"sql(
INSERT INTO usershell.provider_headers (owner_id, provider_id, name, sealed_key, key_address)
SELECT $1::uuid, $2::uuid, $3, $4::bytea, $5
WHERE (SELECT count(*) FROM usershell.provider_headers WHERE owner_id = $1 AND provider_id = $2) < $6)sql"}};

const Statement remove{
    "delete_header", by_manage, {"DELETE FROM usershell.provider_headers", where}};

} // namespace

void set_header(Lease& lease, const UserId& owner, const ProviderId& provider,
                const std::string& name, const StoredKey& value) {
    const Bytes sealed{value.sealed.bytes()};
    transact(lease, [&](Transaction& transaction) {
        lock_provider(transaction, owner, provider);
        if (transaction.run(update_value, owner, provider, name, sealed, value.address).affected() >
            0)
            return;
        const Rows added = transaction.run(insert, owner, provider, name, sealed, value.address,
                                           rules::max_headers);
        if (added.affected() == 0) throw cap_reached("headers"_en, rules::max_headers);
    });
}

void delete_header(Lease& lease, const UserId& owner, const ProviderId& provider,
                   const std::string& name) {
    if (!is_storable(name) || !run_delete(lease, remove, owner, provider, name)) throw not_found();
}

} // namespace usershell::store
