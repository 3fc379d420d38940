// Saved avatars, encrypted before they get here: at most one a user.
#pragma once

#include "base/ids.hpp"
#include "crypto/avatar_box.hpp"
#include "store/database/database.hpp"

#include <optional>
#include <string>

namespace usershell::store {

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
