// Challenges of passkeys. The service makes them and stores none: a challenge is 16 random bytes,
// the time, and a keyed hash of both and of what it is for. Pure but for random bytes; any thread
// may call.
#pragma once

#include "crypto/ring/ring.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace usershell::auth::passkeys {

using Moment = std::chrono::system_clock::time_point;

/// `purpose`: names visitor and deed, so that no other may use the challenge.
std::string make_challenge(const crypto::AuthSecret& ring, std::string_view purpose, Moment now);

/// Was it made for that purpose in the last five minutes, by any key of the ring? Another machine's
/// clock may be a minute ahead. The store refuses one that was used before.
bool is_challenge(const crypto::AuthSecret& ring, std::string_view purpose,
                  std::string_view challenge, Moment now);

} // namespace usershell::auth::passkeys
