#include "store/providers/parts.hpp"

#include "domain/rules.hpp"
#include "store/providers/provider_parts.hpp"

#include <algorithm>
#include <array>

namespace usershell::store {

namespace {

/// In the order of Health.
constexpr std::array<std::string_view, 4> words{"unknown", "healthy", "degraded", "unhealthy"};

/// A later program may have written a health that this one does not know.
Health health_named(std::string_view name) {
    const auto* const word = std::ranges::find(words, name);
    return word == words.end() ? Health::unknown : static_cast<Health>(word - words.begin());
}

} // namespace

std::string_view name_of(Health health) { return words.at(static_cast<std::size_t>(health)); }

HealthState health_of(const Row& row) {
    return {.status = health_named(row.get<std::string>("health_status")),
            .message = row.get<std::string>("health_message"),
            .checked_at = row.get<std::optional<Timestamp>>("health_checked_at"),
            .cooldown_until = row.get<std::optional<Timestamp>>("cooldown_until")};
}

namespace {

constexpr std::string_view account_columns = R"sql(
id, name, key_hint, has_key, is_enabled, priority, health_status, health_message,
usershell.microseconds(health_checked_at) AS health_checked_at,
usershell.microseconds(cooldown_until) AS cooldown_until,
(SELECT usershell.key_entered_for(accounts.key_address, p.type, p.base_url) FROM usershell.providers p
  WHERE p.owner_id = accounts.owner_id AND p.id = accounts.provider_id) AS key_entered_for)sql";

constexpr std::string_view of_account = "WHERE owner_id = $1 AND provider_id = $2 AND id = $3";

const Statement select_account{
    "find_account", by_manage, {"SELECT", account_columns, "FROM usershell.accounts", of_account}};

const Statement insert_one_account{"add_account",
                                   by_manage,
                                   {R"sql(
INSERT INTO usershell.accounts
    (owner_id, provider_id, id, name, priority, sealed_key, key_hint, key_address)
SELECT $1::uuid, $2::uuid, $3::uuid, $4, coalesce($5, least(coalesce(max(priority), 0) + 1, $10)),
       $6::bytea, $7, $8
FROM usershell.accounts WHERE owner_id = $1 AND provider_id = $2
HAVING count(*) < $9
RETURNING)sql",
                                    account_columns}};

const Statement account_by_another_body{"account_by_another_body", by_manage, {R"sql(
SELECT 1 FROM usershell.accounts
WHERE owner_id = $1 AND id <> $2 AND left(id::text, 18) = left($2::text, 18))sql"}};

const Statement update_account{
    "edit_account",
    by_manage,
    {"UPDATE usershell.accounts SET name = coalesce($4, name), priority = coalesce($5, priority)",
     of_account, "RETURNING", account_columns}};

const Statement update_account_key{
    "set_account_key",
    by_manage,
    {"UPDATE usershell.accounts SET sealed_key = $4, key_hint = $5, key_address = $6,",
     health_forgotten, of_account, "RETURNING", account_columns}};

const Statement enable_account{
    "set_account_enabled",
    by_manage,
    {"UPDATE usershell.accounts SET is_enabled = coalesce($4, NOT is_enabled)", of_account,
     "RETURNING", account_columns}};

const Statement remove_account{
    "delete_account", by_manage, {"DELETE FROM usershell.accounts", of_account}};

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
    Rows added = transaction.run(insert_one_account, owner, provider, account.id, account.name,
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
    return changed_row(write(lease, update_account_key, owner, provider, account,
                             Bytes{key.sealed.bytes()}, key.hint, key.address),
                       account_of);
}

Account set_account_enabled(Lease& lease, const UserId& owner, const ProviderId& provider,
                            const AccountId& account, std::optional<bool> enabled) {
    return set_enabled(lease, enabled, account_of, enable_account, owner, provider, account);
}

void delete_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                    const AccountId& account) {
    if (!run_delete(lease, remove_account, owner, provider, account)) throw not_found();
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

namespace {

constexpr std::string_view of_header = "WHERE owner_id = $1 AND provider_id = $2 AND name = $3";

const Statement update_header{
    "set_header",
    by_manage,
    {"UPDATE usershell.provider_headers SET sealed_key = $4, key_address = $5", of_header}};

const Statement insert_header{"add_header", by_manage, {R"sql(
INSERT INTO usershell.provider_headers (owner_id, provider_id, name, sealed_key, key_address)
SELECT $1::uuid, $2::uuid, $3, $4::bytea, $5
WHERE (SELECT count(*) FROM usershell.provider_headers WHERE owner_id = $1 AND provider_id = $2) < $6)sql"}};

const Statement remove_header{
    "delete_header", by_manage, {"DELETE FROM usershell.provider_headers", of_header}};

} // namespace

void set_header(Lease& lease, const UserId& owner, const ProviderId& provider,
                const std::string& name, const StoredKey& value) {
    const Bytes sealed{value.sealed.bytes()};
    transact(lease, [&](Transaction& transaction) {
        lock_provider(transaction, owner, provider);
        if (transaction.run(update_header, owner, provider, name, sealed, value.address)
                .affected() > 0)
            return;
        const Rows added = transaction.run(insert_header, owner, provider, name, sealed,
                                           value.address, rules::max_headers);
        if (added.affected() == 0) throw cap_reached("headers"_en, rules::max_headers);
    });
}

void delete_header(Lease& lease, const UserId& owner, const ProviderId& provider,
                   const std::string& name) {
    if (!is_storable(name) || !run_delete(lease, remove_header, owner, provider, name))
        throw not_found();
}

namespace {

constexpr std::string_view model_columns =
    "model_id, display_name, capabilities, is_enabled, position";

constexpr std::string_view of_model = "WHERE owner_id = $1 AND provider_id = $2 AND model_id = $3";

const Statement select_model{
    "find_model", by_manage, {"SELECT", model_columns, "FROM usershell.models", of_model}};

const Statement insert_one_model{"add_model",
                                 by_manage,
                                 {R"sql(
INSERT INTO usershell.models (owner_id, provider_id, model_id, display_name, capabilities, position)
SELECT $1::uuid, $2::uuid, $3, $4, $5, coalesce(max(position), 0) + 1
FROM usershell.models WHERE owner_id = $1 AND provider_id = $2
HAVING count(*) < $6
RETURNING)sql",
                                  model_columns},
                                 "This provider has a model of that id already."_en};

const Statement enable_model{
    "set_model_enabled",
    by_manage,
    {"UPDATE usershell.models SET is_enabled = coalesce($4, NOT is_enabled)", of_model, "RETURNING",
     model_columns}};

const Statement update_name{
    "set_model_name",
    by_manage,
    {"UPDATE usershell.models SET display_name = $4", of_model, "RETURNING", model_columns}};

const Statement update_capabilities{
    "set_model_capabilities",
    by_manage,
    {"UPDATE usershell.models SET capabilities = $4", of_model, "RETURNING", model_columns}};

const Statement update_positions{"set_model_position", by_manage, {R"sql(
WITH placed AS (
    SELECT owner_id, provider_id, model_id,
           CASE WHEN model_id = $3 THEN $4::integer - 0.5
                ELSE count(*) FILTER (WHERE model_id <> $3) OVER (ORDER BY position) END AS place
      FROM usershell.models WHERE owner_id = $1 AND provider_id = $2),
ordered AS (SELECT *, row_number() OVER (ORDER BY place) AS rank FROM placed)
UPDATE usershell.models m SET position = o.rank FROM ordered o
WHERE (m.owner_id, m.provider_id, m.model_id) = (o.owner_id, o.provider_id, o.model_id))sql"}};

const Statement remove_model{"delete_model", by_manage, {"DELETE FROM usershell.models", of_model}};

/// A text that can't be stored names no model.
const std::string& id_of_model(const std::string& model_id) {
    if (!is_storable(model_id)) throw not_found();
    return model_id;
}

} // namespace

Model model_of(const Row& row) {
    return {.model_id = row.get<std::string>("model_id"),
            .display_name = row.get<std::string>("display_name"),
            .capabilities = row.get<std::string>("capabilities"),
            .is_enabled = row.get<bool>("is_enabled"),
            .position = row.get<int>("position")};
}

bool has_model(Lease& lease, const UserId& owner, const ProviderId& provider,
               const std::string& model_id) {
    return is_storable(model_id) && !run(lease, select_model, owner, provider, model_id).empty();
}

Model insert_model(Transaction& transaction, const UserId& owner, const ProviderId& provider,
                   const NewModel& model) {
    Rows added = transaction.run(insert_one_model, owner, provider, model.model_id,
                                 model.display_name, model.capabilities, rules::max_models);
    if (added.empty()) throw cap_reached("models"_en, rules::max_models);
    return model_of(added.front());
}

Model add_model(Lease& lease, const UserId& owner, const ProviderId& provider,
                const NewModel& model) {
    return transact(lease, [&](Transaction& transaction) {
        if (transaction.in_doubt()) {
            Rows added = transaction.run(select_model, owner, provider, model.model_id);
            if (!added.empty()) return model_of(added.front());
        }
        lock_provider(transaction, owner, provider);
        return insert_model(transaction, owner, provider, model);
    });
}

Model set_model_name(Lease& lease, const UserId& owner, const ProviderId& provider,
                     const std::string& model_id, const std::string& display_name) {
    return changed_row(
        write(lease, update_name, owner, provider, id_of_model(model_id), display_name), model_of);
}

Model set_model_enabled(Lease& lease, const UserId& owner, const ProviderId& provider,
                        const std::string& model_id, std::optional<bool> enabled) {
    return set_enabled(lease, enabled, model_of, enable_model, owner, provider,
                       id_of_model(model_id));
}

Model set_model_capabilities(Lease& lease, const UserId& owner, const ProviderId& provider,
                             const std::string& model_id, const std::string& capabilities) {
    return changed_row(
        write(lease, update_capabilities, owner, provider, id_of_model(model_id), capabilities),
        model_of);
}

Model set_model_position(Lease& lease, const UserId& owner, const ProviderId& provider,
                         const std::string& model_id, int position) {
    return transact(lease, [&](Transaction& transaction) {
        lock_provider(transaction, owner, provider);
        transaction.run(update_positions, owner, provider, id_of_model(model_id), position);
        return changed_row(transaction.run(select_model, owner, provider, model_id), model_of);
    });
}

void delete_model(Lease& lease, const UserId& owner, const ProviderId& provider,
                  const std::string& model_id) {
    if (!run_delete(lease, remove_model, owner, provider, id_of_model(model_id))) throw not_found();
}

} // namespace usershell::store
