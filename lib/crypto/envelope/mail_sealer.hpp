// Sealing mails for the outbox; only usershell-mail opens them.
#pragma once

#include "base/ids.hpp"
#include "crypto/envelope/sealer.hpp"
#include "crypto/ring/ring.hpp"
#include "crypto/secret.hpp"

#include <chrono>
#include <string_view>

namespace usershell::crypto {

/// The row of the outbox that a mail belongs to, and until when it is worth sending.
struct MailBinding {
    UserId owner;
    MailId mail;
    std::chrono::sys_seconds valid_until;
};

/// Thread-safe after construction.
class MailSealer {
public:
    /// Signs with the active key of `web`, seals to the active key of `mail`. Throws RingError when
    /// they are not of one installation.
    MailSealer(const WebSecret& web, const MailPublic& mail);

    SealedMail seal(const MailBinding& binding, std::string_view content) const;

private:
    EnvelopeSealer sealer_;
};

} // namespace usershell::crypto
