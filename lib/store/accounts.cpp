#include "store/accounts.hpp"

#include "base/rules.hpp"
#include "store/database/run.hpp"
#include "store/database/statements.hpp"
#include "store/documents.hpp"
#include "store/parent.hpp"

#include <array>

namespace usershell::store {

namespace {

constexpr Statement select_account{
    "find_account",
    by_workers,
    {"SELECT", account_json,
     "FROM usershell.accounts a WHERE a.owner_id = $1 AND a.provider_id = $2 AND a.id = $3"}};

constexpr Statement insert_account{"add_account",
                                   by_manage,
                                   {R"sql(
INSERT INTO usershell.accounts AS a
    (owner_id, provider_id, id, name, priority, sealed_key, key_scope, key_hint)
SELECT $1::uuid, $2::uuid, $3::uuid, $4, coalesce($5, least(coalesce(max(priority), 0) + 1, $10)),
       $6::bytea, $7::uuid, $8
FROM usershell.accounts WHERE owner_id = $1 AND provider_id = $2
HAVING count(*) < $9
RETURNING)sql",
                                    account_json}};

constexpr Statement update_account{"edit_account",
                                   by_manage,
                                   {R"sql(
UPDATE usershell.accounts a SET name = coalesce($4, a.name), priority = coalesce($5, a.priority)
WHERE a.owner_id = $1 AND a.provider_id = $2 AND a.id = $3
RETURNING)sql",
                                    account_json}};

constexpr Statement update_key{"set_account_key",
                               by_manage,
                               {R"sql(
UPDATE usershell.accounts a
SET sealed_key = $4, key_scope = $5, key_hint = $6,
    health_status = 'unknown', health_message = '', health_checked_at = NULL, cooling_until = NULL
WHERE a.owner_id = $1 AND a.provider_id = $2 AND a.id = $3
RETURNING)sql",
                                account_json}};

constexpr Statement update_enabled{"set_account_enabled",
                                   by_manage,
                                   {R"sql(
UPDATE usershell.accounts a SET is_enabled = coalesce($4, NOT a.is_enabled)
WHERE a.owner_id = $1 AND a.provider_id = $2 AND a.id = $3
RETURNING)sql",
                                    account_json, ", a.is_enabled"}};

constexpr Statement remove{
    "delete_account",
    by_manage,
    {"DELETE FROM usershell.accounts WHERE owner_id = $1 AND provider_id = $2 AND id = $3"}};

} // namespace

StatementList account_statements() {
    static constexpr std::array list{&select_account, &insert_account, &update_account,
                                     &update_key,     &update_enabled, &remove};
    return list;
}

bool has_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                 const AccountId& account) {
    return !run(lease, select_account, owner, provider, account).empty();
}

std::string add_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                        const NewAccount& account, const StoredKey& key) {
    return transact(lease, [&](Transaction& transaction) {
        if (transaction.in_doubt()) {
            const auto added = transaction.run(select_account, owner, provider, account.id);
            if (!added.empty()) return document_of(added);
        }
        lock_provider(transaction, owner, provider);
        const auto rows = transaction.run(insert_account, owner, provider, account.id, account.name,
                                          account.priority, Bytes{key.sealed.bytes()}, key.scope,
                                          key.hint, rules::max_accounts, rules::priority.max);
        if (rows.empty()) throw cap_reached("accounts", rules::max_accounts);
        return document_of(rows);
    });
}

std::string edit_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                         const AccountId& account, const std::optional<std::string>& name,
                         std::optional<int> priority) {
    return document_of(run(lease, update_account, owner, provider, account, name, priority));
}

std::string set_account_key(Lease& lease, const UserId& owner, const ProviderId& provider,
                            const AccountId& account, const StoredKey& key) {
    return document_of(run(lease, update_key, owner, provider, account, Bytes{key.sealed.bytes()},
                           key.scope, key.hint));
}

std::string set_account_enabled(Lease& lease, const UserId& owner, const ProviderId& provider,
                                const AccountId& account, std::optional<bool> enabled) {
    return set_enabled(lease, enabled, update_enabled, owner, provider, account);
}

void delete_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                    const AccountId& account) {
    if (!run_delete(lease, remove, owner, provider, account)) throw not_found();
}

} // namespace usershell::store
