// Opens queued mail with the mail ring, which no other program has. Thread-safe after construction.
#pragma once

#include "crypto/opening/envelope_opener.hpp"
#include "store/outbox.hpp"

#include <chrono>

namespace usershell::mail {

struct OpenedMail {
    std::chrono::sys_seconds valid_until; ///< later it is not worth sending
    crypto::Secret content;               ///< as pages/mail_writer.cpp wrote it
};

class MailOpener {
public:
    /// Keeps references; both rings outlive the opener.
    MailOpener(const crypto::MailSecret& ring, const crypto::AuthPublic& auth);

    /// The mail, if it was signed and sealed for its row's owner and id. Throws
    /// crypto::UnsealError.
    OpenedMail open(const store::TakenMail& mail) const;

private:
    crypto::EnvelopeOpener opener_;
};

} // namespace usershell::mail
