#include "store/tokens/token_admin.hpp"

#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement select_tokens{"list_tokens", by_owner, {R"sql(
SELECT id, name, selector, usershell.microseconds(created_at) AS created_at,
       usershell.microseconds(expires_at) AS expires_at, usershell.microseconds(u.used_at) AS last_used_at,
       coalesce(u.network, '') AS last_used_network
FROM usershell.good_tokens t LEFT JOIN usershell.token_uses u ON u.owner_id = t.owner_id AND u.token_id = t.id
WHERE t.owner_id = $1 ORDER BY t.created_at DESC, id)sql"}};

const Statement remove_tokens{"operator_revoke_tokens", by_owner, {R"sql(
DELETE FROM usershell.access_tokens
WHERE owner_id = $1 AND ($2::uuid IS NULL OR id = $2)
  AND ($3::date IS NULL OR created_at >= $3::date::timestamp AT TIME ZONE 'UTC'))sql"}};

} // namespace

std::vector<TokenSummary> list_tokens(Lease& lease, const UserId& user) {
    return run(lease, select_tokens, user).all([](const Row& row) {
        return TokenSummary{.id = row.get<AccessTokenId>("id"),
                            .name = row.get<std::string>("name"),
                            .selector = row.bytes("selector"),
                            .created_at = row.get<Timestamp>("created_at"),
                            .expires_at = row.get<Timestamp>("expires_at"),
                            .last_used_at = row.get<std::optional<Timestamp>>("last_used_at"),
                            .last_used_network = row.get<std::string>("last_used_network")};
    });
}

int operator_revoke_tokens(Lease& lease, const UserId& user, const std::optional<AccessTokenId>& id,
                           const std::optional<std::string>& since) {
    return static_cast<int>(write(lease, remove_tokens, user, id, since).affected());
}

} // namespace usershell::store
