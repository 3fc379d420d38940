#include "store/providers/providers.hpp"

#include "domain/rules.hpp"
#include "store/providers/provider_parts.hpp"
#include "store/users/signed_in.hpp"

#include <algorithm>
#include <tuple>

namespace usershell::store {

namespace {

// Providers with their models, accounts and headers, all of the owner's or one: a row each, with
// the columns of all and NULL for what a kind does not have; and the version of the whole list. One
// statement, so that they are of one moment, and because it costs least. Microseconds of CPU in
// PostgreSQL and in the program, for 5 providers with 6 models and 3 accounts each: these rows,
// serialized by pipeline::to_json, 107 + 81; row_to_json 220 + 11; three statements 157 + 96.
const Statement select_providers{"select_providers", by_manage, {R"sql(
SELECT 'provider' AS kind, id AS provider_id, name, handle, type, base_url, status, round_robin_accounts, has_key, key_hint,
       health_status, health_message, usershell.microseconds(health_checked_at) AS health_checked_at,
       usershell.microseconds(cooldown_until) AS cooldown_until,
       usershell.key_entered_for(key_address, type, base_url) AS key_entered_for,
       usershell.microseconds(created_at) AS created_at,
       NULL::uuid AS id, NULL::integer AS priority, NULL::boolean AS is_enabled,
       NULL AS model_id, NULL AS display_name, NULL AS capabilities, NULL::integer AS position,
       NULL::bytea AS version
FROM usershell.providers WHERE owner_id = $1 AND ($2::uuid IS NULL OR id = $2)
UNION ALL
SELECT 'account', a.provider_id, a.name, NULL, NULL, NULL, NULL, NULL, a.has_key, a.key_hint,
       a.health_status, a.health_message, usershell.microseconds(a.health_checked_at),
       usershell.microseconds(a.cooldown_until), usershell.key_entered_for(a.key_address, p.type, p.base_url),
       NULL,
       a.id, a.priority, a.is_enabled,
       NULL, NULL, NULL, NULL, NULL
FROM usershell.accounts a JOIN usershell.providers p ON p.owner_id = a.owner_id AND p.id = a.provider_id
WHERE a.owner_id = $1 AND ($2::uuid IS NULL OR a.provider_id = $2)
UNION ALL
SELECT 'header', h.provider_id, h.name, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       NULL, NULL, NULL,
       NULL, usershell.key_entered_for(h.key_address, p.type, p.base_url),
       NULL,
       NULL, NULL, NULL,
       NULL, NULL, NULL, NULL, NULL
FROM usershell.provider_headers h JOIN usershell.providers p ON p.owner_id = h.owner_id AND p.id = h.provider_id
WHERE h.owner_id = $1 AND ($2::uuid IS NULL OR h.provider_id = $2)
UNION ALL
SELECT 'model', provider_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       NULL, NULL, NULL,
       NULL, NULL,
       NULL,
       NULL, NULL, is_enabled,
       model_id, display_name, capabilities, position, NULL
FROM usershell.models WHERE owner_id = $1 AND ($2::uuid IS NULL OR provider_id = $2)
UNION ALL
SELECT 'list', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       NULL, NULL, NULL,
       NULL, NULL,
       NULL,
       NULL, NULL, NULL,
       NULL, NULL, NULL, NULL, version
FROM usershell.provider_lists WHERE owner_id = $1 AND $2::uuid IS NULL)sql"}};

const Statement select_fields{"find_provider_fields", by_manage, {R"sql(
SELECT name, handle, type, base_url, round_robin_accounts FROM usershell.providers
WHERE owner_id = $1 AND id = $2)sql"}};

const Statement lock_owner_row{
    "lock_owner", by_manage, {"SELECT 1 FROM usershell.users WHERE id = $1 FOR NO KEY UPDATE"}};

const Statement lock_provider_row{
    "lock_provider",
    by_manage,
    {"SELECT 1 FROM usershell.providers WHERE owner_id = $1 AND id = $2 FOR NO KEY UPDATE"}};

const Statement insert{"create_provider", by_manage, {R"sql(
INSERT INTO usershell.providers
    (owner_id, id, name, type, base_url, round_robin_accounts, sealed_key, key_hint, key_address)
SELECT $1::uuid, $2::uuid, $3, $4, $5, $6::boolean, $7::bytea, $8, $9
WHERE (SELECT count(*) FROM usershell.providers WHERE owner_id = $1) < $10)sql"}};

/// The first half of an id comes from the key of a request that may be repeated, the second one
/// from its body (crypto/avatar_box.hpp). Random ids share no half.
const Statement made_by_another_body{"made_by_another_body", by_manage, {R"sql(
SELECT 1 FROM usershell.providers
WHERE owner_id = $1 AND id <> $2 AND left(id::text, 18) = left($2::text, 18))sql"}};

const Statement lock_for_edit{"lock_for_edit", by_manage, {R"sql(
SELECT (type, base_url) IS DISTINCT FROM ($3, $4) AS is_moved FROM usershell.providers
WHERE owner_id = $1 AND id = $2 FOR NO KEY UPDATE)sql"}};

const Statement update_fields{"edit_provider",
                              by_manage,
                              {R"sql(
UPDATE usershell.providers
SET name = $3, type = $4, base_url = $5, round_robin_accounts = $6, handle = coalesce(nullif($7, ''), handle)
WHERE owner_id = $1 AND id = $2)sql"},
                              "Another of your providers has this handle."_en};

const Statement forget_provider_health{
    "forget_provider_health",
    by_manage,
    {"UPDATE usershell.providers SET", health_forgotten, "WHERE owner_id = $1 AND id = $2"}};

const Statement forget_account_health{"forget_account_health",
                                      by_manage,
                                      {"UPDATE usershell.accounts SET", health_forgotten,
                                       "WHERE owner_id = $1 AND provider_id = $2"}};

const Statement update_key{
    "set_provider_key",
    by_manage,
    {"UPDATE usershell.providers SET sealed_key = $3, key_hint = $4, key_address = $5,",
     health_forgotten, "WHERE owner_id = $1 AND id = $2"}};

const Statement update_status{
    "set_provider_status",
    by_manage,
    {"UPDATE usershell.providers SET status = $3 WHERE owner_id = $1 AND id = $2"}};

const Statement remove{"delete_provider",
                       by_manage,
                       {"DELETE FROM usershell.providers WHERE owner_id = $1 AND id = $2"}};

// A cap can't be a constraint of the table, since it counts rows. The INSERT counts them itself,
// and the row above (user, or provider) is locked first, so that two requests at the same moment
// can't both find the last place free.

/// Until the end of the transaction, so that new providers of one user take turns.
void lock_owner(Transaction& transaction, const UserId& owner) {
    if (transaction.run(lock_owner_row, owner).empty()) throw not_found();
}

/// `key` nullptr: without one.
void insert_provider(Transaction& transaction, const UserId& owner, const ProviderId& provider,
                     const ProviderFields& fields, const StoredKey* key) {
    const Rows inserted =
        transaction.run(insert, owner, provider, fields.name, fields.type, fields.base_url,
                        fields.round_robin_accounts, bytes_of(key), hint_of(key), address_of(key),
                        rules::max_providers);
    if (inserted.affected() == 0) throw cap_reached("providers"_en, rules::max_providers);
}

ProviderFields fields_of(const Row& row) {
    return {.name = row.get<std::string>("name"),
            .type = row.get<std::string>("type"),
            .base_url = row.get<std::string>("base_url"),
            .round_robin_accounts = row.get<bool>("round_robin_accounts"),
            .handle = row.get<std::string>("handle")};
}

/// Waits for an earlier request that may still be about to make this provider.
std::optional<ProviderFields> made_before(Transaction& transaction, const UserId& owner,
                                          const ProviderId& provider) {
    lock_owner(transaction, owner);
    auto made = transaction.run(select_fields, owner, provider).first(fields_of);
    if (made) transaction.doubt();
    if (!made && !transaction.run(made_by_another_body, owner, provider).empty())
        throw repeated_otherwise();
    return made;
}

Provider provider_of(const Row& row) {
    return {.id = row.get<ProviderId>("provider_id"),
            .fields = fields_of(row),
            .is_active = row.get<std::string>("status") == "active",
            .has_key = row.get<bool>("has_key"),
            .key_hint = row.get<std::string>("key_hint"),
            .key_entered_for = row.get<std::optional<std::string>>("key_entered_for"),
            .health = health_of(row),
            .created_at = row.get<Timestamp>("created_at")};
}

void sort(std::vector<Provider>& providers) {
    using std::ranges::sort;
    sort(providers, {}, [](const Provider& each) { return std::tie(each.created_at, each.id); });
    for (Provider& provider : providers) {
        sort(provider.models, {}, &Model::position);
        sort(provider.headers, {}, &Header::name);
        sort(provider.accounts, {},
             [](const Account& each) { return std::tie(each.priority, each.name, each.id); });
    }
}

} // namespace

void lock_provider(Transaction& transaction, const UserId& owner, const ProviderId& provider) {
    if (transaction.run(lock_provider_row, owner, provider).empty()) throw not_found();
}

std::optional<Bytes> bytes_of(const StoredKey* key) {
    if (key == nullptr) return std::nullopt;
    return Bytes{key->sealed.bytes()};
}

std::string hint_of(const StoredKey* key) { return key == nullptr ? std::string{} : key->hint; }

std::string address_of(const StoredKey* key) {
    return key == nullptr ? std::string{} : key->address;
}

Refusal repeated_otherwise() {
    return {ErrorCode::conflict, "This Idempotency-Key was used with another body."_en};
}

Refusal cap_reached(English things, int max) {
    return {ErrorCode::cap_reached,
            {"There can be at most {count} {things}."_en,
             {{"count", std::to_string(max)}, {"things", things}}}};
}

std::vector<Provider> providers_of(Rows rows) {
    std::vector<Provider> providers;
    rows.each([&](const Row& row) {
        if (row.get<std::string>("kind") == "provider") providers.push_back(provider_of(row));
    });
    rows.each([&](const Row& row) {
        const auto kind = row.get<std::string>("kind");
        if (kind == "list") return;
        const auto provider =
            std::ranges::find(providers, row.get<ProviderId>("provider_id"), &Provider::id);
        if (kind == "account") provider->accounts.push_back(account_of(row));
        if (kind == "header")
            provider->headers.push_back({row.get<std::string>("name"),
                                         row.get<std::optional<std::string>>("key_entered_for")});
        if (kind == "model") provider->models.push_back(model_of(row));
    });
    sort(providers);
    return providers;
}

Rows run_list(Lease& lease, const UserId& owner) {
    return run(lease, select_providers, owner, std::optional<ProviderId>{});
}

std::vector<Provider> list_providers(Lease& lease, const UserId& owner) {
    return providers_of(run_list(lease, owner));
}

std::optional<ProviderFields> find_provider_fields(Lease& lease, const UserId& owner,
                                                   const ProviderId& provider) {
    return run(lease, select_fields, owner, provider).first(fields_of);
}

ProviderFields create_provider(Lease& lease, const UserId& owner, const ProviderId& provider,
                               const ProviderFields& fields, const StoredKey& key) {
    return transact(lease, [&](Transaction& transaction) {
        if (auto made = made_before(transaction, owner, provider)) return *made;
        insert_provider(transaction, owner, provider, fields, &key);
        return fields;
    });
}

void import_providers(Lease& lease, const UserId& owner,
                      const std::vector<ImportedProvider>& providers) {
    if (providers.empty()) return;
    transact(lease, [&](Transaction& transaction) {
        if (made_before(transaction, owner, providers.front().id)) return;
        for (const ImportedProvider& each : providers) {
            insert_provider(transaction, owner, each.id, each.fields, nullptr);
            for (const NewModel& model : each.models)
                insert_model(transaction, owner, each.id, model);
            for (const NewAccount& account : each.accounts)
                insert_account(transaction, owner, each.id, account, nullptr);
        }
    });
}

Provider edit_provider(Lease& lease, const UserId& owner, const ProviderId& provider,
                       const ProviderFields& fields) {
    return transact(lease, [&](Transaction& transaction) {
        Rows locked = transaction.run(lock_for_edit, owner, provider, fields.type, fields.base_url);
        if (locked.empty()) throw not_found();
        if (locked.front().get<bool>("is_moved")) {
            transaction.run(forget_provider_health, owner, provider);
            transaction.run(forget_account_health, owner, provider);
        }
        transaction.run(update_fields, owner, provider, fields.name, fields.type, fields.base_url,
                        fields.round_robin_accounts, fields.handle);
        return providers_of(transaction.run(select_providers, owner, std::optional{provider}))
            .front();
    });
}

void set_provider_key(Lease& lease, const UserId& owner, const ProviderId& provider,
                      const StoredKey& key) {
    const Rows changed =
        write(lease, update_key, owner, provider, Bytes{key.sealed.bytes()}, key.hint, key.address);
    if (changed.affected() == 0) throw not_found();
}

void set_provider_status(Lease& lease, const UserId& owner, const ProviderId& provider,
                         bool is_active) {
    const std::string status = is_active ? "active" : "inactive";
    if (write(lease, update_status, owner, provider, status).affected() == 0) throw not_found();
}

void delete_provider(Lease& lease, const UserId& owner, const ProviderId& provider) {
    if (!run_delete(lease, remove, owner, provider)) throw not_found();
}

namespace {

// The list is looked up by the user of the sign-in's row. So in any order of the plan the identity
// of the connection's former user shows no row. OFFSET keeps the planner from making it a join.
const Statement sign_in_with_list{"sign_request_in_with_list", by_manage, {R"sql(
SELECT s.user_id, s.session_id, s.email, s.display_name, s.antiforgery_key, s.cookie_seconds,
       l.version, l.document
FROM usershell.sign_request_in($1) s
LEFT JOIN LATERAL (
    SELECT version, CASE WHEN $3::boolean AND build = $2 THEN document END AS document
    FROM usershell.provider_lists WHERE owner_id = s.user_id OFFSET 0) l ON true)sql"}};

// Others may be about to make it, too.
const Statement begin_list{"begin_list", by_manage, {R"sql(
WITH begun AS (INSERT INTO usershell.provider_lists (owner_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING 1)
SELECT count(*) FROM begun)sql"}};

const Statement select_document{"find_list", by_manage, {R"sql(
SELECT version, document FROM usershell.provider_lists WHERE owner_id = $1 AND build = $2)sql"}};

const Statement update_document{"keep_list", by_manage, {R"sql(
UPDATE usershell.provider_lists SET build = $3, document = $4
WHERE owner_id = $1 AND version = $2::bytea)sql"}};

ListCaller list_caller_of(const Row& row) {
    return {caller_of(row),
            {.version = row.is_null("version") ? std::string{} : row.bytes("version"),
             .document = row.get<std::optional<std::string>>("document")}};
}

} // namespace

std::optional<ListCaller> sign_request_in_with_list(Lease& lease, const std::string& token_hash,
                                                    const std::string& build, bool with_document) {
    return signed_in_by(lease, list_caller_of, sign_in_with_list, token_hash, build, with_document);
}

KeptList find_list(Lease& lease, const UserId& owner, const std::string& build) {
    const auto kept = run(lease, select_document, owner, build).first([](const Row& row) {
        return KeptList{row.bytes("version"), row.get<std::string>("document")};
    });
    return kept.value_or(KeptList{});
}

ReadList read_list(Lease& lease, const UserId& owner) {
    run(lease, begin_list, owner);
    Rows rows = run_list(lease, owner);
    ReadList list;
    rows.each([&](const Row& row) {
        if (row.get<std::string>("kind") == "list") list.version = row.bytes("version");
    });
    list.providers = providers_of(std::move(rows));
    return list;
}

void keep_list(Lease& lease, const UserId& owner, const std::string& version,
               const std::string& build, const std::string& document) {
    run(lease, update_document, owner, Bytes{version}, build, document);
}

} // namespace usershell::store
