// Checks passwords, throttled: at sign-in, and where a signed-in person has to give the password
// again (factors/proof.hpp). All pages use these functions, so that none is a way around the
// growing delay.
#pragma once

#include "auth/services.hpp"
#include "crypto/secret.hpp"
#include "pipeline/route.hpp"
#include "store/users/passwords.hpp"
#include "web/message.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::auth {

/// The sign-in of the user whose address and password these are, for that deed. The same work is
/// done for every caller; the store's connection is not held for it. A hash of less cost than the
/// settings', or of another form than RFC 8265's, is replaced. Throws Refusal rate_limited with the
/// time to wait when tries come too fast, for this account or from this client address, and
/// unavailable when no permit for a hash is free.
std::optional<store::SignIn> check_password(Services& services, pipeline::RequestContext& context,
                                            store::Deed deed, const std::string& email,
                                            const crypto::Secret& password);

/// How long to wait for the next try, as people read it.
Sentence wait_sentence(std::chrono::seconds wait);

/// The subjects under which throttles count the client of a request: a hash of `purpose` and each
/// of its networks (Address::client_networks). The /48 of IPv6 has the free tries of many clients.
std::vector<store::Throttle> client_throttles(std::string_view purpose, const web::Request& request,
                                              int free_attempts, std::chrono::seconds max_delay);

} // namespace usershell::auth
