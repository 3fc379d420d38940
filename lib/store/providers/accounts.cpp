#include "store/providers/accounts.hpp"

#include "domain/rules.hpp"
#include "store/providers/provider_parts.hpp"

namespace usershell::store {

namespace {

constexpr std::string_view columns = R"sql(
id, name, key_hint, has_key, is_enabled, priority, health_status, health_message,
usershell.microseconds(health_checked_at) AS health_checked_at,
usershell.microseconds(cooldown_until) AS cooldown_until,
(SELECT usershell.key_entered_for(accounts.key_address, p.type, p.base_url) FROM usershell.providers p
  WHERE p.owner_id = accounts.owner_id AND p.id = accounts.provider_id) AS key_entered_for)sql";

constexpr std::string_view where = "WHERE owner_id = $1 AND provider_id = $2 AND id = $3";

const Statement select_account{
    "find_account", by_manage, {"SELECT", columns, "FROM usershell.accounts", where}};

const Statement insert{"add_account",
                       by_manage,
                       {R"sql(
INSERT INTO usershell.accounts
    (owner_id, provider_id, id, name, priority, sealed_key, key_hint, key_address)
SELECT $1::uuid, $2::uuid, $3::uuid, $4, coalesce($5, least(coalesce(max(priority), 0) + 1, $10)),
       $6::bytea, $7, $8
FROM usershell.accounts WHERE owner_id = $1 AND provider_id = $2
HAVING count(*) < $9
RETURNING)sql",
                        columns}};

const Statement account_by_another_body{"account_by_another_body", by_manage, {R"sql(
SELECT 1 FROM usershell.accounts
WHERE owner_id = $1 AND id <> $2 AND left(id::text, 18) = left($2::text, 18))sql"}};

const Statement update_account{
    "edit_account",
    by_manage,
    {"UPDATE usershell.accounts SET name = coalesce($4, name), priority = coalesce($5, priority)",
     where, "RETURNING", columns}};

const Statement update_key{
    "set_account_key",
    by_manage,
    {"UPDATE usershell.accounts SET sealed_key = $4, key_hint = $5, key_address = $6,",
     health_forgotten, where, "RETURNING", columns}};

const Statement update_enabled{
    "set_account_enabled",
    by_manage,
    {"UPDATE usershell.accounts SET is_enabled = coalesce($4, NOT is_enabled)", where, "RETURNING",
     columns}};

const Statement remove{"delete_account", by_manage, {"DELETE FROM usershell.accounts", where}};

// The first row is the provider's; a row an error follows.
const Statement select_facts{"find_key_facts", by_manage, {R"sql(
SELECT usershell.next_in_turn(p.id) AS next, NULL::uuid AS account, NULL::bigint AS at, NULL AS message
  FROM usershell.providers p WHERE p.owner_id = $1 AND p.id = $2
UNION ALL
(SELECT NULL, k.account, e.at, e.message
   FROM (SELECT NULL::uuid AS account, p.recent_errors FROM usershell.providers p
          WHERE p.owner_id = $1 AND p.id = $2
          UNION ALL
         SELECT a.id, a.recent_errors FROM usershell.accounts a WHERE a.owner_id = $1 AND a.provider_id = $2) k
  CROSS JOIN LATERAL jsonb_to_recordset(k.recent_errors) AS e (at bigint, message text)
  ORDER BY e.at DESC))sql"}};

KeyError error_of(const Row& row) {
    return {.account = row.get<std::optional<AccountId>>("account"),
            .at = row.get<Timestamp>("at"),
            .message = row.get<std::string>("message")};
}

} // namespace

Account account_of(const Row& row) {
    return {.id = row.get<AccountId>("id"),
            .name = row.get<std::string>("name"),
            .key_hint = row.get<std::string>("key_hint"),
            .has_key = row.get<bool>("has_key"),
            .key_entered_for = row.get<std::optional<std::string>>("key_entered_for"),
            .is_enabled = row.get<bool>("is_enabled"),
            .priority = row.get<int>("priority"),
            .health = health_of(row)};
}

bool has_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                 const AccountId& account) {
    return !run(lease, select_account, owner, provider, account).empty();
}

Account insert_account(Transaction& transaction, const UserId& owner, const ProviderId& provider,
                       const NewAccount& account, const StoredKey* key) {
    Rows added = transaction.run(insert, owner, provider, account.id, account.name,
                                 account.priority, bytes_of(key), hint_of(key), address_of(key),
                                 rules::max_accounts, rules::priority.max);
    if (added.empty()) throw cap_reached("accounts"_en, rules::max_accounts);
    return account_of(added.front());
}

Account add_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                    const NewAccount& account, const StoredKey& key) {
    return transact(lease, [&](Transaction& transaction) {
        lock_provider(transaction, owner, provider);
        Rows added = transaction.run(select_account, owner, provider, account.id);
        if (!added.empty()) {
            transaction.doubt();
            return account_of(added.front());
        }
        if (!transaction.run(account_by_another_body, owner, account.id).empty())
            throw repeated_otherwise();
        return insert_account(transaction, owner, provider, account, &key);
    });
}

Account edit_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                     const AccountId& account, const std::optional<std::string>& name,
                     std::optional<int> priority) {
    return changed_row(write(lease, update_account, owner, provider, account, name, priority),
                       account_of);
}

Account set_account_key(Lease& lease, const UserId& owner, const ProviderId& provider,
                        const AccountId& account, const StoredKey& key) {
    return changed_row(write(lease, update_key, owner, provider, account, Bytes{key.sealed.bytes()},
                             key.hint, key.address),
                       account_of);
}

Account set_account_enabled(Lease& lease, const UserId& owner, const ProviderId& provider,
                            const AccountId& account, std::optional<bool> enabled) {
    return set_enabled(lease, enabled, account_of, update_enabled, owner, provider, account);
}

void delete_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                    const AccountId& account) {
    if (!run_delete(lease, remove, owner, provider, account)) throw not_found();
}

KeyFacts find_key_facts(Lease& lease, const UserId& owner, const ProviderId& provider) {
    Rows rows = run(lease, select_facts, owner, provider);
    if (rows.empty()) throw not_found();
    KeyFacts facts{.next_in_turn = rows.front().get<std::optional<AccountId>>("next")};
    rows.each([&](const Row& row) {
        if (!row.is_null("at")) facts.errors.push_back(error_of(row));
    });
    return facts;
}

} // namespace usershell::store
