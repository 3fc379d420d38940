#include "store/providers/provider_list.hpp"

#include "store/providers/provider_parts.hpp"
#include "store/users/signed_in.hpp"

namespace usershell::store {

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
