// Two processes sign stored keys again after the web ring got a new key: `ring rewrap` opens them
// and has no key that signs, `ring resign` has the keys that sign and sees digests. Between them is
// a Unix socket of SOCK_SEQPACKET. A request is kind (1 byte) ‖ signer's id ‖ digest ‖ signature,
// its answer a signature. After a request that it refuses the other side ends.
#pragma once

#include "crypto/opening/rewrapper.hpp"

#include <string>

namespace usershell::ctl {

/// The side of `ring rewrap`, connected to `path`. Throws Error when no signer listens there. The
/// function is for one thread, and throws Error when the other side refuses or is silent for 10 s.
crypto::Rewrapper::Resign resign_by(const std::string& path);

} // namespace usershell::ctl
