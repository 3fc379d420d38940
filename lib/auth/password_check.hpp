// Checks passwords, throttled: at sign-in, and where a signed-in person has to give the password
// again. All pages use these functions, so that none is a way around the growing delay.
#pragma once

#include "auth/services.hpp"
#include "crypto/secret.hpp"
#include "pipeline/request_context.hpp"
#include "store/users/throttle.hpp"
#include "store/users/users.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::auth {

/// The user whose address and password these are, and the stamp under which that is so. The same
/// work is done whoever asks; the store's connection is not held for it. A hash of less cost than
/// the settings' is replaced. Throws Refusal rate_limited with the time to wait when tries come too
/// fast, for this account or from this client address, and unavailable when no permit for a hash is
/// free.
std::optional<store::StampedUser> check_password(Services& services,
                                                 pipeline::RequestContext& context,
                                                 const std::string& email,
                                                 const crypto::Secret& password);

/// The same for the caller's own password: the caller, and the stamp under which it was verified.
std::optional<store::StampedUser> check_own_password(Services& services,
                                                     pipeline::RequestContext& context,
                                                     const crypto::Secret& password);

/// How long to wait for the next try, as people read it.
Sentence wait_sentence(std::chrono::seconds wait);

/// The subjects under which throttles count the client of a request: a hash of `purpose` and each
/// of its networks (Address::client_networks). The /48 of IPv6 has the free tries of many clients.
std::vector<store::Throttle> client_throttles(std::string_view purpose, const web::Request& request,
                                              int free_attempts, std::chrono::seconds max_delay);

} // namespace usershell::auth
