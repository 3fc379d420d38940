// Writes mails: rendered from templates/mail/, sealed, ready for the outbox. `owner`: the owner of
// the outbox row, in which alone the mail opens. `valid_for`: the life of its link; the mail is not
// sent later. `language`: as Pages::language_of() returns it; invitations are in English. Immutable
// after construction; any thread may write.
#pragma once

#include "crypto/envelope/sealers.hpp"
#include "domain/email.hpp"
#include "pages/templates.hpp"
#include "store/outbox.hpp"
#include "web/pages.hpp"

#include <chrono>
#include <string>

namespace usershell::pages {

class MailWriter {
public:
    /// `pages` outlives it. `base_url`: our own origin, for links.
    MailWriter(const web::Pages& pages, crypto::MailSealer sealer, std::string base_url);

    /// To the new address: the link that confirms it. The address is the only user input in it, so
    /// that no user can send words of their own to strangers.
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
    /// The link with which a new user chooses a password.
    store::QueuedMail invitation(const UserId& owner, const std::string& display_name,
                                 const EmailAddress& to, const std::string& token,
                                 std::chrono::seconds valid_for) const;
    /// To the owner of an access token, that it was made (`mail` is Mail::token_made) or ends
    /// within a week (Mail::token_ends): a notice without any link.
    store::QueuedMail about_token(Mail mail, const UserId& owner, const std::string& display_name,
                                  const std::string& address, const std::string& token_name,
                                  const std::string& language = "en") const;
    /// To its owner, about an event of the account. Nothing in it but the name is a text of the
    /// person behind the event: a host or a name in a mail of ours would be a link to a reader.
    store::QueuedMail security_event(const UserId& owner, const std::string& display_name,
                                     const std::string& address, const Sentence& what,
                                     const std::string& language = "en") const;

private:
    store::QueuedMail write(const UserId& owner, Mail mail, const std::string& to,
                            std::chrono::seconds valid_for, web::PageData data,
                            const std::string& language) const;
    std::string reset_link(const std::string& token) const;

    const web::Pages& pages_;
    crypto::MailSealer sealer_;
    std::string base_url_;
};

/// The stored form of a one-time link that sets a password.
std::string reset_token_hash(std::string_view token);

} // namespace usershell::pages
