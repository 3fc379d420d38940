#include "store/database/run.hpp"
#include "store/database/statements.hpp"
#include "store/providers.hpp"

#include "crypto/token.hpp"

#include <array>

namespace usershell::store {

namespace {

constexpr Statement find_scope{"current_scope", by_manage, {R"sql(
SELECT id, ring_key, public_key, voucher FROM usershell.scopes WHERE owner_id = $1
ORDER BY created_at DESC, id LIMIT 1)sql"}};

// A second try after a lost answer finds the row of the first.
constexpr Statement insert_scope{"add_scope", by_manage, {R"sql(
INSERT INTO usershell.scopes (owner_id, id, ring_key, public_key, sealed_secret, voucher)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (owner_id, id) DO NOTHING)sql"}};

} // namespace

StatementList scope_statements() {
    static constexpr std::array list{&find_scope, &insert_scope};
    return list;
}

std::optional<PublicScope> current_scope(Lease& lease, const UserId& owner) {
    const auto rows = run(lease, find_scope, owner);
    if (rows.empty()) return std::nullopt;
    return PublicScope{rows[0][0].as<std::string>(), rows[0][1].as<std::string>(),
                       bytes_of(rows[0][2]), bytes_of(rows[0][3])};
}

std::string add_scope(Lease& lease, const UserId& owner, const crypto::Scope& scope) {
    std::string id = crypto::random_uuid();
    run(lease, insert_scope, owner, id, scope.ring_key, Bytes{scope.public_key},
        Bytes{scope.secret.bytes()}, Bytes{scope.voucher});
    return id;
}

} // namespace usershell::store
