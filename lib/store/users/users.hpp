// Users: those who sign in.
#pragma once

#include "base/ids.hpp"
#include "crypto/avatar_box.hpp"
#include "store/database/database.hpp"

#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

/// A user as of one security stamp: 16 random bytes that the database redraws with every security
/// event (password or address changed, sign-out everywhere, disabled, enabled). A session,
/// mailed link, pending change or device cookie is good only under the stamp that it was made
/// under.
struct StampedUser {
    UserId user;
    std::string stamp;
};

/// The stored form of a session's secrets. A session has a token for each pool, so that what passes
/// through one opens nothing at another.
struct SessionKeys {
    std::string token_hash;           ///< of the token that usershell-manage takes
    std::string calls_token_hash;     ///< of the one that usershell-execute takes
    std::string auth_token_hash;      ///< of the one that usershell-auth takes
    std::string antiforgery_key;      ///< of the forms of usershell-manage, and of calls
    std::string auth_antiforgery_key; ///< of the forms of usershell-auth
};

/// Changes the password of the user whose session the lease presents: their other sessions end,
/// this one goes on with new keys, whatever was made under the old stamp is void but for those
/// access tokens; all in one transaction. Returns the new stamp; null, and nothing changed, when
/// the sign-in is not good for it.
std::optional<std::string> change_password(Lease& lease, const SignInId& sign_in,
                                           const std::string& password_hash,
                                           const SessionKeys& keys,
                                           const std::vector<AccessTokenId>& kept_tokens = {});
/// Deletes the user whose session the lease presents, with all that is theirs. False, and nothing
/// deleted, when the sign-in is not good for it.
bool delete_own_user(Lease& lease, const SignInId& sign_in);
void set_display_name(Lease& lease, const UserId& user, const std::string& display_name);

// Saved avatars, encrypted before they get here: at most one a user.

struct StoredAvatar {
    std::string id; ///< UUID, new with every save: the ETag, and sealed together with the image
    std::string media_type; ///< image/png or image/jpeg
    crypto::SealedAvatar sealed;
};

std::optional<StoredAvatar> find_avatar(Lease& lease, const UserId& user);
/// The id of the saved avatar, without its bytes.
std::optional<std::string> avatar_id(Lease& lease, const UserId& user);
void save_avatar(Lease& lease, const UserId& user, const StoredAvatar& avatar);
void remove_avatar(Lease& lease, const UserId& user);

} // namespace usershell::store
