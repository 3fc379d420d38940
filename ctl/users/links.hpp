// Mailed links with which a person chooses a password.
#pragma once

#include "domain/email.hpp"
#include "domain/settings/config.hpp"
#include "pages/mail_writer.hpp"
#include "store/users/password_resets.hpp"
#include "web/pages.hpp"

#include <string>

namespace usershell::ctl {

/// A link and the mail that carries it, not stored yet.
struct MailedLink {
    store::PasswordReset reset;
    store::QueuedMail mail;
};

/// Makes and seals such links and mails. The constructor loads everything that is needed (rings,
/// templates), so that a command fails before it has changed anything.
class LinkWriter {
public:
    /// Throws UsageError when no mail can be sent here, and Error for what can't be loaded.
    LinkWriter(const Settings& settings, store::Lease& lease);

    MailedLink invitation(const UserId& user, const std::string& display_name,
                          const EmailAddress& address) const;
    MailedLink reset(const UserId& user, const EmailAddress& address) const;

private:
    web::Pages pages_;
    pages::MailWriter mails_;
};

} // namespace usershell::ctl
