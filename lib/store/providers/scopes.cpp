#include "store/database/run.hpp"
#include "store/providers/providers.hpp"

#include "crypto/token.hpp"

namespace usershell::store {

namespace {

const Statement find_scope{"current_scope", by_manage, {R"sql(
SELECT id, ring_key, public_key, voucher FROM usershell.scopes WHERE owner_id = $1
ORDER BY created_at DESC, id LIMIT 1)sql"}};

// A second attempt after a lost answer finds the row of the first.
const Statement insert_scope{"add_scope", by_manage, {R"sql(
INSERT INTO usershell.scopes (owner_id, id, ring_key, public_key, sealed_secret, voucher)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (owner_id, id) DO NOTHING)sql"}};

} // namespace

std::optional<PublicScope> current_scope(Lease& lease, const UserId& owner) {
    return run(lease, find_scope, owner).first([](const Row& row) {
        return PublicScope{row.get<std::string>("id"), row.get<std::string>("ring_key"),
                           row.bytes("public_key"), row.bytes("voucher")};
    });
}

std::string add_scope(Lease& lease, const UserId& owner, const crypto::Scope& scope) {
    std::string id = crypto::random_uuid();
    run(lease, insert_scope, owner, id, scope.ring_key, Bytes{scope.public_key},
        Bytes{scope.secret.bytes()}, Bytes{scope.voucher});
    return id;
}

} // namespace usershell::store
