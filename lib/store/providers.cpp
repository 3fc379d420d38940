#include "store/providers.hpp"

#include "base/error.hpp"
#include "base/rules.hpp"
#include "store/database/run.hpp"
#include "store/database/statements.hpp"
#include "store/documents.hpp"
#include "store/parent.hpp"

#include <array>

namespace usershell::store {

namespace {

constexpr Statement select_all{
    "list_providers",
    by_manage,
    {R"sql(
SELECT row_to_json(l) FROM (
    SELECT coalesce(json_agg(document ORDER BY created_at, id), '[]') AS providers
    FROM (SELECT p.created_at, p.id,)sql",
     provider_json,
     R"sql( AS document FROM usershell.providers p WHERE p.owner_id = $1) t) l)sql"}};

constexpr Statement select_document{
    "provider_document",
    by_manage,
    {"SELECT", provider_json, "FROM usershell.providers p WHERE p.owner_id = $1 AND p.id = $2"}};

constexpr Statement select_fields{"find_provider", by_manage, {R"sql(
SELECT name, type, base_url, round_robin_accounts FROM usershell.providers
WHERE owner_id = $1 AND id = $2)sql"}};

constexpr Statement lock_owner{
    "lock_owner", by_manage, {"SELECT 1 FROM usershell.users WHERE id = $1 FOR NO KEY UPDATE"}};

constexpr Statement insert_provider{"create_provider", by_manage, {R"sql(
INSERT INTO usershell.providers
    (owner_id, id, name, type, base_url, round_robin_accounts, sealed_key, key_scope, key_hint)
SELECT $1::uuid, $2::uuid, $3, $4, $5, $6::boolean, $7::bytea, $8::uuid, $9
WHERE (SELECT count(*) FROM usershell.providers WHERE owner_id = $1) < $10)sql"}};

constexpr Statement lock_for_edit{"lock_for_edit", by_manage, {R"sql(
SELECT (type, base_url) IS DISTINCT FROM ($3, $4) AS moved FROM usershell.providers
WHERE owner_id = $1 AND id = $2 FOR NO KEY UPDATE)sql"}};

constexpr Statement update_fields{"edit_provider", by_manage, {R"sql(
UPDATE usershell.providers SET name = $3, type = $4, base_url = $5, round_robin_accounts = $6
WHERE owner_id = $1 AND id = $2)sql"}};

constexpr Statement forget_provider_health{"forget_provider_health", by_manage, {R"sql(
UPDATE usershell.providers
SET health_status = 'unknown', health_message = '', health_checked_at = NULL, cooling_until = NULL
WHERE owner_id = $1 AND id = $2)sql"}};

constexpr Statement forget_account_health{"forget_account_health", by_manage, {R"sql(
UPDATE usershell.accounts
SET health_status = 'unknown', health_message = '', health_checked_at = NULL, cooling_until = NULL
WHERE owner_id = $1 AND provider_id = $2)sql"}};

constexpr Statement update_key{"set_provider_key", by_manage, {R"sql(
UPDATE usershell.providers
SET sealed_key = $3, key_scope = $4, key_hint = $5,
    health_status = 'unknown', health_message = '', health_checked_at = NULL, cooling_until = NULL
WHERE owner_id = $1 AND id = $2)sql"}};

constexpr Statement update_status{
    "set_provider_status",
    by_manage,
    {"UPDATE usershell.providers SET status = $3 WHERE owner_id = $1 AND id = $2"}};

constexpr Statement remove{"delete_provider",
                           by_manage,
                           {"DELETE FROM usershell.providers WHERE owner_id = $1 AND id = $2"}};

} // namespace

StatementList provider_statements() {
    static constexpr std::array list{
        &select_all,    &select_document,        &select_fields,
        &lock_owner,    &insert_provider,        &lock_for_edit,
        &update_fields, &forget_provider_health, &forget_account_health,
        &update_key,    &update_status,          &remove};
    return list;
}

std::string list_providers(Lease& lease, const UserId& owner) {
    return run(lease, select_all, owner)[0][0].as<std::string>();
}

std::optional<std::string> provider_document(Lease& lease, const UserId& owner,
                                             const ProviderId& provider) {
    const auto rows = run(lease, select_document, owner, provider);
    if (rows.empty()) return std::nullopt;
    return rows[0][0].as<std::string>();
}

std::optional<ProviderFields> find_provider(Lease& lease, const UserId& owner,
                                            const ProviderId& provider) {
    const auto rows = run(lease, select_fields, owner, provider);
    if (rows.empty()) return std::nullopt;
    const pqxx::row row = rows[0];
    return ProviderFields{row[0].as<std::string>(), row[1].as<std::string>(),
                          row[2].as<std::string>(), row[3].as<bool>()};
}

void create_provider(Lease& lease, const UserId& owner, const ProviderId& provider,
                     const ProviderFields& fields, const StoredKey& key) {
    transact(lease, [&](Transaction& transaction) {
        if (transaction.in_doubt() && !transaction.run(select_fields, owner, provider).empty())
            return;
        if (transaction.run(lock_owner, owner).empty()) throw not_found();
        const auto inserted =
            transaction.run(insert_provider, owner, provider, fields.name, fields.type,
                            fields.base_url, fields.round_robin_accounts, Bytes{key.sealed.bytes()},
                            key.scope, key.hint, rules::max_providers);
        if (inserted.affected_rows() == 0) {
            throw cap_reached("providers", rules::max_providers);
        }
    });
}

bool edit_provider(Lease& lease, const UserId& owner, const ProviderId& provider,
                   const ProviderFields& fields) {
    return transact(lease, [&](Transaction& transaction) {
        const auto locked =
            transaction.run(lock_for_edit, owner, provider, fields.type, fields.base_url);
        if (locked.empty()) return false;
        if (locked[0][0].as<bool>()) {
            transaction.run(forget_provider_health, owner, provider);
            transaction.run(forget_account_health, owner, provider);
        }
        transaction.run(update_fields, owner, provider, fields.name, fields.type, fields.base_url,
                        fields.round_robin_accounts);
        return true;
    });
}

bool set_provider_key(Lease& lease, const UserId& owner, const ProviderId& provider,
                      const StoredKey& key) {
    return run(lease, update_key, owner, provider, Bytes{key.sealed.bytes()}, key.scope, key.hint)
               .affected_rows() > 0;
}

bool set_provider_status(Lease& lease, const UserId& owner, const ProviderId& provider,
                         bool active) {
    const std::string status = active ? "active" : "inactive";
    return run(lease, update_status, owner, provider, status).affected_rows() > 0;
}

bool delete_provider(Lease& lease, const UserId& owner, const ProviderId& provider) {
    return run_delete(lease, remove, owner, provider);
}

} // namespace usershell::store
