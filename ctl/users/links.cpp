#include "ctl/users/links.hpp"

#include "crypto/token.hpp"
#include "ctl/arguments.hpp"
#include "ctl/command.hpp"
#include "ctl/users/users.hpp"
#include "domain/rules.hpp"
#include "pages/templates.hpp"
#include "store/installation.hpp"

#include <iostream>

namespace usershell::ctl {

namespace {

std::string new_token() { return crypto::base64url(crypto::random_bytes(32)); }

crypto::MailSealer load_sealer(const Settings& settings, store::Lease& lease) {
    if (!settings.mail_configured())
        throw UsageError{"No mail can be sent: the setting mail-public is empty."};
    if (settings.auth_secret.empty())
        throw UsageError{"No mail can be sent: the setting auth-secret is empty."};
    const auto auth = crypto::load_ring<crypto::AuthSecret>(settings.auth_secret);
    const auto mail = crypto::load_ring<crypto::MailPublic>(settings.mail_public);
    store::require_rings(lease, {crypto::summary_of(auth), crypto::summary_of(mail)});
    return {auth, mail};
}

} // namespace

LinkWriter::LinkWriter(const Settings& settings, store::Lease& lease)
    : pages_{pages::load_pages(settings.templates)},
      mails_{pages_, load_sealer(settings, lease), settings.base_url} {}

MailedLink LinkWriter::invitation(const UserId& user, const std::string& display_name,
                                  const EmailAddress& address) const {
    const std::string token = new_token();
    return {{pages::reset_token_hash(token), rules::invitation_lifetime, true},
            mails_.invitation(user, display_name, address, token, rules::invitation_lifetime)};
}

MailedLink LinkWriter::reset(const UserId& user, const EmailAddress& address) const {
    const std::string token = new_token();
    return {{pages::reset_token_hash(token), rules::reset_link_lifetime, false},
            mails_.password_reset(user, address, token, rules::reset_link_lifetime)};
}

namespace {

/// `write(links, user, address)`: the link for that person.
template <class Write>
void mail_link(const Settings& settings, Arguments& arguments, std::string_view done, Write write) {
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    const LinkWriter links{settings, store};
    // Mail goes to the stored address: the one given may be another mailbox whose case-folded form
    // is the same.
    const MailedLink link = write(links, user, parse_email(user.email).value());
    store::start_password_reset(store, user.id, link.reset, link.mail);
    std::cout << done << ' ' << user.email << ".\n";
}

} // namespace

void user_invite(const Settings& settings, Arguments& arguments) {
    mail_link(
        settings, arguments, "Invited",
        [](const LinkWriter& links, const store::UserSummary& user, const EmailAddress& address) {
            return links.invitation(user.id, user.display_name, address);
        });
}

void user_reset_mail(const Settings& settings, Arguments& arguments) {
    mail_link(settings, arguments, "Mailed a link for a new password to",
              [](const LinkWriter& links, const store::UserSummary& user,
                 const EmailAddress& address) { return links.reset(user.id, address); });
}

} // namespace usershell::ctl
