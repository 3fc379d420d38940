#include "store/calls/execution.hpp"

#include "store/database/run.hpp"

namespace usershell::store {

namespace {

// A row a key, the provider's own first; one row without a key when there is none. One statement,
// so that provider and keys are of one moment. Model ids hold no control character: a
// newline parts them.
const Statement select_call_provider{"load_call_provider", by_execute, {R"sql(
SELECT p.name, p.type, p.base_url, p.status = 'active' AS is_active, p.round_robin_accounts,
       m.every AS all_models, m.enabled AS enabled_models,
       k.account, k.label, k.is_enabled, coalesce(k.cooling_until > now(), false) AS is_cooling, k.sealed_key
FROM usershell.providers p
CROSS JOIN LATERAL (
    SELECT string_agg(model_id, E'\n' ORDER BY position) AS every,
           string_agg(model_id, E'\n' ORDER BY position) FILTER (WHERE is_enabled) AS enabled
    FROM usershell.models WHERE owner_id = p.owner_id AND provider_id = p.id) m
LEFT JOIN LATERAL (
    SELECT NULL::uuid AS account, '' AS label, true AS is_enabled, p.cooling_until, p.sealed_key,
           -1 AS priority
    UNION ALL
    SELECT a.id, a.name, a.is_enabled, a.cooling_until, a.sealed_key, a.priority
    FROM usershell.accounts a WHERE a.owner_id = p.owner_id AND a.provider_id = p.id) k
    ON k.sealed_key IS NOT NULL
WHERE p.owner_id = $1 AND p.id = $2
ORDER BY k.priority, k.label COLLATE "C", k.account)sql"}};

const Statement select_active{"active_providers", by_execute, {R"sql(
SELECT id FROM usershell.providers WHERE owner_id = $1 AND status = 'active'
ORDER BY created_at, id)sql"}};

// A second attempt after a lost answer skips one position, which is no harm.
const Statement advance_rotation{"next_rotation", by_execute, {R"sql(
INSERT INTO usershell.rotations AS r (owner_id, provider_id, position) VALUES ($1, $2, 1)
ON CONFLICT (owner_id, provider_id) DO UPDATE SET position = r.position + 1
RETURNING position - 1 AS position)sql"}};

std::vector<std::string> lines_of(const std::optional<std::string>& text) {
    std::vector<std::string> lines;
    if (!text) return lines;
    std::string_view rest = *text;
    for (;;) {
        const std::size_t end = rest.find('\n');
        lines.emplace_back(rest.substr(0, end));
        if (end == std::string_view::npos) return lines;
        rest.remove_prefix(end + 1);
    }
}

CallKey key_of(const Row& row) {
    return {.account = row.get<std::optional<AccountId>>("account"),
            .name = row.get<std::string>("label"),
            .is_enabled = row.get<bool>("is_enabled"),
            .cooling = row.get<bool>("is_cooling"),
            .sealed = crypto::SealedKey{row.bytes("sealed_key")}};
}

CallProvider provider_of(const ProviderId& id, const Row& row) {
    return {.id = id,
            .name = row.get<std::string>("name"),
            .type = row.get<std::string>("type"),
            .base_url = row.get<std::string>("base_url"),
            .active = row.get<bool>("is_active"),
            .round_robin_accounts = row.get<bool>("round_robin_accounts"),
            .own_key = {},
            .accounts = {},
            .enabled_models = lines_of(row.get<std::optional<std::string>>("enabled_models")),
            .all_models = lines_of(row.get<std::optional<std::string>>("all_models"))};
}

} // namespace

std::optional<CallProvider> load_call_provider(Lease& lease, const UserId& owner,
                                               const ProviderId& provider) {
    Rows rows = run(lease, select_call_provider, owner, provider);
    if (rows.empty()) return std::nullopt;
    CallProvider found = provider_of(provider, rows.front());
    rows.each([&](const Row& row) {
        if (row.is_null("sealed_key")) return;
        CallKey key = key_of(row);
        if (key.account) {
            found.accounts.push_back(std::move(key));
        } else {
            found.own_key = std::move(key);
        }
    });
    return found;
}

std::vector<ProviderId> active_providers(Lease& lease, const UserId& owner) {
    return run(lease, select_active, owner).all([](const Row& row) {
        return row.get<ProviderId>("id");
    });
}

std::uint64_t next_rotation(Lease& lease, const UserId& owner, const ProviderId& provider) {
    return run(lease, advance_rotation, owner, provider).front().get<std::uint64_t>("position");
}

} // namespace usershell::store
