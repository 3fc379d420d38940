#include "store/providers/provider_list.hpp"

#include "store/providers/provider_parts.hpp"

namespace usershell::store {

namespace {

// Others may be about to make it, too.
const Statement begin_list{"begin_list", by_manage, {R"sql(
WITH begun AS (INSERT INTO usershell.provider_lists (owner_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING 1)
SELECT count(*) FROM begun)sql"}};

const Statement select_document{"find_list", by_manage, {R"sql(
SELECT version, document FROM usershell.provider_lists WHERE owner_id = $1 AND build = $2)sql"}};

const Statement update_document{"keep_list", by_manage, {R"sql(
UPDATE usershell.provider_lists SET build = $3, document = $4
WHERE owner_id = $1 AND version = $2::bytea)sql"}};

} // namespace

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
