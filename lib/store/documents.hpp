// What a Provider, a Model and an Account look like as JSON (docs/contract.md, sections 3 to 5),
// once for every statement that answers with one. Each fragment is an SQL expression over a row of
// a table under a fixed alias: `p` providers, `m` models, `a` accounts. Inside lib/store only.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace usershell::store {

/// The constants put together at compile time.
template <const std::string_view&... parts>
class Joined {
    static constexpr auto letters = [] {
        std::array<char, (parts.size() + ...)> all{};
        auto* end = all.data();
        ((end = std::copy(parts.begin(), parts.end(), end)), ...);
        return all;
    }();

public:
    static constexpr std::string_view text{letters.data(), letters.size()};
};

inline constexpr std::string_view model_json = R"sql(
(SELECT row_to_json(d) FROM (SELECT
    m.model_id AS "modelId", m.display_name AS "displayName", m.capabilities,
    m.is_enabled AS "isEnabled") d)
)sql";

inline constexpr std::string_view account_json = R"sql(
(SELECT row_to_json(d) FROM (SELECT
    a.id, a.name, a.key_hint AS "keyHint", a.has_key AS "hasKey", a.is_enabled AS "isEnabled", a.priority,
    a.health_status AS "healthStatus", a.health_message AS "healthMessage",
    to_char(a.health_checked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "healthCheckedAt") d)
)sql";

inline constexpr std::string_view provider_json_head = R"sql(
(SELECT row_to_json(d) FROM (SELECT
    p.id, p.name, p.type, p.base_url AS "baseUrl", p.status,
    p.health_status AS "healthStatus", p.health_message AS "healthMessage",
    to_char(p.health_checked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "healthCheckedAt",
    p.has_key AS "hasKey", p.key_hint AS "keyHint", p.round_robin_accounts AS "roundRobinAccounts",
    to_char(p.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "createdAt",
    (SELECT coalesce(json_agg()sql";

inline constexpr std::string_view provider_json_middle = R"sql( ORDER BY m.position), '[]')
       FROM usershell.models m WHERE m.owner_id = p.owner_id AND m.provider_id = p.id) AS models,
    (SELECT coalesce(json_agg()sql";

inline constexpr std::string_view provider_json_tail =
    R"sql( ORDER BY a.priority, a.name COLLATE "C", a.id), '[]')
       FROM usershell.accounts a WHERE a.owner_id = p.owner_id AND a.provider_id = p.id) AS accounts) d)
)sql";

inline constexpr std::string_view provider_json =
    Joined<provider_json_head, model_json, provider_json_middle, account_json,
           provider_json_tail>::text;

} // namespace usershell::store
