#include "store/execution.hpp"

#include "store/database/run.hpp"
#include "store/database/statements.hpp"

#include <array>

namespace usershell::store {

namespace {

// A row a key, the provider's own first; one row without a key when there is none. One statement,
// so that provider, keys and scopes are of one moment. Model ids hold no control character: a
// newline parts them.
constexpr Statement select_call_provider{"load_call_provider", by_execute, {R"sql(
SELECT p.name, p.type, p.base_url, p.status = 'active', p.round_robin_accounts, m.every, m.enabled,
       k.account, k.label, k.is_enabled, k.cooling_until > now(), k.sealed_key,
       s.ring_key, s.public_key, s.sealed_secret
FROM usershell.providers p
CROSS JOIN LATERAL (
    SELECT string_agg(model_id, E'\n' ORDER BY position) AS every,
           string_agg(model_id, E'\n' ORDER BY position) FILTER (WHERE is_enabled) AS enabled
    FROM usershell.models WHERE owner_id = p.owner_id AND provider_id = p.id) m
LEFT JOIN LATERAL (
    SELECT NULL::uuid AS account, '' AS label, true AS is_enabled, p.cooling_until, p.sealed_key, p.key_scope,
           -1 AS priority
    UNION ALL
    SELECT a.id, a.name, a.is_enabled, a.cooling_until, a.sealed_key, a.key_scope, a.priority
    FROM usershell.accounts a WHERE a.owner_id = p.owner_id AND a.provider_id = p.id) k
    ON k.sealed_key IS NOT NULL
LEFT JOIN usershell.scopes s ON s.owner_id = p.owner_id AND s.id = k.key_scope
WHERE p.owner_id = $1 AND p.id = $2
ORDER BY k.priority, k.label COLLATE "C", k.account)sql"}};

constexpr Statement select_active{"active_providers", by_execute, {R"sql(
SELECT id FROM usershell.providers WHERE owner_id = $1 AND status = 'active'
ORDER BY created_at, id)sql"}};

// A second try after a lost answer skips one position, which is no harm.
constexpr Statement advance_rotation{"next_rotation", by_execute, {R"sql(
INSERT INTO usershell.rotations AS r (owner_id, provider_id, position) VALUES ($1, $2, 1)
ON CONFLICT (owner_id, provider_id) DO UPDATE SET position = r.position + 1
RETURNING position - 1)sql"}};

std::vector<std::string> lines_of(const pqxx::field& field) {
    std::vector<std::string> lines;
    if (field.is_null()) return lines;
    std::string_view rest{field.c_str(), field.size()};
    for (;;) {
        const std::size_t end = rest.find('\n');
        lines.emplace_back(rest.substr(0, end));
        if (end == std::string_view::npos) return lines;
        rest.remove_prefix(end + 1);
    }
}

CallKey key_of(const pqxx::row& row) {
    return {.account = row[7].is_null() ? std::nullopt : std::optional{id_of<AccountId>(row[7])},
            .name = row[8].as<std::string>(),
            .is_enabled = row[9].as<bool>(),
            .cooling = row[10].as<bool>(false),
            .sealed = crypto::SealedKey{bytes_of(row[11])},
            .scope = {row[12].as<std::string>(), bytes_of(row[13]),
                      crypto::SealedScope{bytes_of(row[14])}}};
}

} // namespace

StatementList execution_statements() {
    static constexpr std::array list{&select_call_provider, &select_active, &advance_rotation};
    return list;
}

std::optional<CallProvider> load_call_provider(Lease& lease, const UserId& owner,
                                               const ProviderId& provider) {
    const auto rows = run(lease, select_call_provider, owner, provider);
    if (rows.empty()) return std::nullopt;
    const pqxx::row first = rows[0];
    CallProvider found{.id = provider,
                       .name = first[0].as<std::string>(),
                       .type = first[1].as<std::string>(),
                       .base_url = first[2].as<std::string>(),
                       .active = first[3].as<bool>(),
                       .round_robin_accounts = first[4].as<bool>(),
                       .own_key = {},
                       .accounts = {},
                       .enabled_models = lines_of(first[6]),
                       .all_models = lines_of(first[5])};
    for (const pqxx::row& row : rows) {
        if (row[11].is_null()) continue;
        CallKey key = key_of(row);
        if (key.account) {
            found.accounts.push_back(std::move(key));
        } else {
            found.own_key = std::move(key);
        }
    }
    return found;
}

std::vector<ProviderId> active_providers(Lease& lease, const UserId& owner) {
    std::vector<ProviderId> ids;
    for (const pqxx::row& row : run(lease, select_active, owner)) {
        ids.push_back(id_of<ProviderId>(row[0]));
    }
    return ids;
}

std::uint64_t next_rotation(Lease& lease, const UserId& owner, const ProviderId& provider) {
    return run(lease, advance_rotation, owner, provider)[0][0].as<std::uint64_t>();
}

} // namespace usershell::store
