#include "store/users/avatars.hpp"

#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement select_avatar{
    "find_avatar",
    by_manage,
    {"SELECT id, media_type, sealed FROM usershell.avatars WHERE owner_id = $1"}};

const Statement select_id{
    "avatar_id", by_manage, {"SELECT id FROM usershell.avatars WHERE owner_id = $1"}};

const Statement upsert_avatar{"save_avatar", by_manage, {R"sql(
INSERT INTO usershell.avatars (owner_id, id, media_type, sealed) VALUES ($1, $2, $3, $4)
ON CONFLICT (owner_id) DO UPDATE
SET id = excluded.id, media_type = excluded.media_type, sealed = excluded.sealed, saved_at = now())sql"}};

const Statement delete_avatar{
    "remove_avatar", by_manage, {"DELETE FROM usershell.avatars WHERE owner_id = $1"}};

} // namespace

std::optional<StoredAvatar> find_avatar(Lease& lease, const UserId& user) {
    return run(lease, select_avatar, user).first([](const Row& row) {
        return StoredAvatar{.id = row.get<std::string>("id"),
                            .media_type = row.get<std::string>("media_type"),
                            .sealed = crypto::SealedAvatar{row.bytes("sealed")}};
    });
}

std::optional<std::string> avatar_id(Lease& lease, const UserId& user) {
    return run(lease, select_id, user).first([](const Row& row) {
        return row.get<std::string>("id");
    });
}

void save_avatar(Lease& lease, const UserId& user, const StoredAvatar& avatar) {
    write(lease, upsert_avatar, user, avatar.id, avatar.media_type, Bytes{avatar.sealed.bytes()});
}

void remove_avatar(Lease& lease, const UserId& user) { write(lease, delete_avatar, user); }

} // namespace usershell::store
