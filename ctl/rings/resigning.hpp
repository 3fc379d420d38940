// Two processes sign stored keys again after the web ring got a new key: `ring rewrap` opens them
// and has no key that signs, `ring resign` has the keys that sign and sees digests. Between them is
// a Unix socket of SOCK_SEQPACKET. A request is kind (1 byte) ‖ signer's id ‖ digest ‖ signature,
// its answer a signature. After a request that it refuses the other side ends.
#pragma once

#include "crypto/envelope/signature.hpp"
#include "runtime/descriptor.hpp"

#include <string>

namespace usershell::ctl {

/// The side of `ring rewrap`. For one thread.
class ResignClient {
public:
    /// Throws Error when `path` has no listener.
    explicit ResignClient(const std::string& path);

    /// The signature by the other side's active key. Throws Error when it refuses or is silent for
    /// 10 s.
    std::string sign_again(const crypto::SignedDigest& record) const;

private:
    Descriptor socket_;
};

/// The side of `ring resign`: answers what comes on `socket` until the other side closes it. Throws
/// Error for what is no request, and for a record that no key of the ring has signed.
void answer_requests(int socket, const crypto::Resigner& resigner);

} // namespace usershell::ctl
