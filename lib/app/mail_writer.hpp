// The mails this service writes: rendered from templates/mail/, sealed, ready for the outbox. One
// function a mail. `owner`: whose row of the outbox it becomes; it opens in no other. `valid_for`:
// how long its link works; later it is not sent any more. `language`: as Pages::language_of() gives
// it; English for whoever an operator writes to. Immutable after construction; any thread may
// write.
#pragma once

#include "app/pages/templates.hpp"
#include "base/text.hpp"
#include "crypto/envelope/mail_sealer.hpp"
#include "store/outbox.hpp"
#include "web/pages.hpp"

#include <chrono>
#include <string>

namespace usershell::app {

class MailWriter {
public:
    /// `pages` outlives it. `base_url`: our own origin, for links and so that the reader knows who
    /// writes.
    MailWriter(const web::Pages& pages, crypto::MailSealer sealer, std::string base_url);

    /// To the new address: the link that confirms it. Nothing that a person wrote is in it but that
    /// address, so that nobody can have us send words of theirs to strangers.
    store::QueuedMail confirm_email(const UserId& owner, const EmailAddress& to,
                                    const std::string& link, std::chrono::seconds valid_for,
                                    const std::string& language = "en") const;
    /// To the old address, after the change: a notice without any link.
    store::QueuedMail email_changed(const UserId& owner, const std::string& display_name,
                                    const std::string& old_address, const std::string& new_address,
                                    const std::string& language = "en") const;
    /// The link that sets a new password.
    store::QueuedMail password_reset(const UserId& owner, const EmailAddress& to,
                                     const std::string& token, std::chrono::seconds valid_for,
                                     const std::string& language = "en") const;
    /// The link with which somebody the operator has added chooses a password.
    store::QueuedMail invitation(const UserId& owner, const std::string& display_name,
                                 const EmailAddress& to, const std::string& token,
                                 std::chrono::seconds valid_for) const;

private:
    store::QueuedMail write(const UserId& owner, Mail mail, const std::string& to,
                            std::chrono::seconds valid_for, web::PageData data,
                            const std::string& language) const;
    std::string reset_link(const std::string& token) const;

    const web::Pages& pages_;
    crypto::MailSealer sealer_;
    std::string base_url_;
};

/// What the store keeps of a one-time link that sets a password.
std::string reset_token_hash(std::string_view token);

} // namespace usershell::app
