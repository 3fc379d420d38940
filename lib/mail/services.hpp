// The parts of the mail sender: settings, store, rings, and the opener of mails.
#pragma once

#include "crypto/opening/envelope_opener.hpp"
#include "crypto/ring/ring.hpp"
#include "domain/settings/config.hpp"
#include "store/database/database.hpp"
#include "store/outbox.hpp"

#include <chrono>

namespace usershell::mail {

// Opens queued mail with the mail ring, which no other program has. Thread-safe after construction.

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

// Built once at start, outlives every round.

class Services {
public:
    /// Loads the rings. Throws RingError or ConfigError with one sentence.
    explicit Services(const Settings& settings);

    /// Throws Error with one sentence when the store has not this program's schema, or
    /// is of another installation than the rings.
    void require_store();
    /// The rings that it has.
    std::vector<crypto::RingSummary> rings() const;

    const Settings& settings;
    store::Database database;
    crypto::MailSecret mail_ring;
    crypto::AuthPublic auth_ring;
    MailOpener opener;
};

} // namespace usershell::mail
