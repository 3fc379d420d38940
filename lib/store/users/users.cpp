#include "store/users/users.hpp"

#include "store/database/run.hpp"
#include "store/users/signed_in.hpp"

namespace usershell::store {

namespace {

const Statement update_password{
    "change_password", by_auth, {"SELECT usershell.change_password($1, $2, $3, $4) AS stamp"}};

const Statement remove_own{
    "delete_own_user", by_auth, {"SELECT usershell.delete_own_user($1) AS is_deleted"}};

const Statement update_display_name{
    "set_display_name", by_manage, {"UPDATE usershell.users SET display_name = $2 WHERE id = $1"}};

} // namespace

std::optional<std::string> change_password(Lease& lease, const SignInId& sign_in,
                                           const std::string& password_hash,
                                           const SessionKeys& keys,
                                           const std::vector<AccessTokenId>& kept_tokens) {
    Rows rows = write(lease, update_password, sign_in, password_hash, composite(keys),
                      array_of(kept_tokens, &AccessTokenId::text));
    return new_stamp_in(lease, rows, keys);
}

bool delete_own_user(Lease& lease, const SignInId& sign_in) {
    return run_once(
        lease, [](Rows& rows) { return rows.front().get<bool>("is_deleted"); }, remove_own,
        sign_in);
}

void set_display_name(Lease& lease, const UserId& user, const std::string& display_name) {
    write(lease, update_display_name, user, display_name);
}

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
