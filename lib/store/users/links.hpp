// The mailed links of the user whose session the lease presents, which can still be used: what a
// person sees of them, and their end. email_changes.hpp and password_resets.hpp make and use them.
#pragma once

#include "base/timestamp.hpp"
#include "store/database/database.hpp"

#include <string>
#include <vector>

namespace usershell::store {

struct OpenLink {
    std::string kind; ///< of its mail: "password-reset", "invitation", "email-change"
    Timestamp made_at;
    Timestamp expires_at;
};
/// The newest first.
std::vector<OpenLink> open_links(Lease& lease);

/// Ends the link of that kind, if there is one.
void end_link(Lease& lease, const std::string& kind);

} // namespace usershell::store
