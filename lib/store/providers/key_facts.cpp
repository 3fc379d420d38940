#include "store/providers/key_facts.hpp"

#include "base/error.hpp"
#include "store/database/run.hpp"

namespace usershell::store {

namespace {

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

KeyFacts find_key_facts(Lease& lease, const UserId& owner, const ProviderId& provider) {
    Rows rows = run(lease, select_facts, owner, provider);
    if (rows.empty()) throw not_found();
    KeyFacts facts{.next_in_turn = rows.front().get<std::optional<AccountId>>("next"),
                   .errors = {}};
    rows.each([&](const Row& row) {
        if (!row.is_null("at")) facts.errors.push_back(error_of(row));
    });
    return facts;
}

} // namespace usershell::store
