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

std::optional<std::string> change_password(Lease& lease, const std::string& stamp,
                                           const std::string& password_hash,
                                           const SessionKeys& keys,
                                           const std::vector<AccessTokenId>& kept_tokens) {
    Rows rows = write(lease, update_password, Bytes{stamp}, password_hash, composite(keys),
                      array_of(kept_tokens, &AccessTokenId::text));
    return new_stamp_in(lease, rows, keys);
}

bool delete_own_user(Lease& lease, const StampedUser& verified) {
    return run_once(
        lease, [](Rows& rows) { return rows.front().get<bool>("is_deleted"); }, remove_own,
        Bytes{verified.stamp});
}

void set_display_name(Lease& lease, const UserId& user, const std::string& display_name) {
    write(lease, update_display_name, user, display_name);
}

} // namespace usershell::store
