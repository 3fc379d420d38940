#include "store/avatars.hpp"

#include "store/database/run.hpp"
#include "store/database/statements.hpp"

#include <array>

namespace usershell::store {

namespace {

constexpr Statement select_avatar{
    "find_avatar",
    by_manage,
    {"SELECT id, media_type, sealed FROM usershell.avatars WHERE owner_id = $1"}};

constexpr Statement select_id{
    "avatar_id", by_manage, {"SELECT id FROM usershell.avatars WHERE owner_id = $1"}};

constexpr Statement upsert_avatar{"save_avatar", by_manage, {R"sql(
INSERT INTO usershell.avatars (owner_id, id, media_type, sealed) VALUES ($1, $2, $3, $4)
ON CONFLICT (owner_id) DO UPDATE
SET id = excluded.id, media_type = excluded.media_type, sealed = excluded.sealed, saved_at = now())sql"}};

constexpr Statement delete_avatar{
    "remove_avatar", by_manage, {"DELETE FROM usershell.avatars WHERE owner_id = $1"}};

} // namespace

StatementList avatar_statements() {
    static constexpr std::array list{&select_avatar, &select_id, &upsert_avatar, &delete_avatar};
    return list;
}

std::optional<StoredAvatar> find_avatar(Lease& lease, const UserId& user) {
    const auto rows = run(lease, select_avatar, user);
    if (rows.empty()) return std::nullopt;
    const pqxx::row row = rows[0];
    return StoredAvatar{row[0].as<std::string>(), row[1].as<std::string>(),
                        crypto::SealedAvatar{bytes_of(row[2])}};
}

std::optional<std::string> avatar_id(Lease& lease, const UserId& user) {
    const auto rows = run(lease, select_id, user);
    if (rows.empty()) return std::nullopt;
    return rows[0][0].as<std::string>();
}

void save_avatar(Lease& lease, const UserId& user, const StoredAvatar& avatar) {
    run(lease, upsert_avatar, user, avatar.id, avatar.media_type, Bytes{avatar.sealed.bytes()});
}

bool remove_avatar(Lease& lease, const UserId& user) {
    return run_delete(lease, delete_avatar, user);
}

} // namespace usershell::store
