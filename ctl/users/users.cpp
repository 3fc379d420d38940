#include "ctl/users/users.hpp"

#include "app/mail_writer.hpp"
#include "base/passwords/password_rule.hpp"
#include "base/rules.hpp"
#include "crypto/token.hpp"
#include "ctl/command.hpp"
#include "ctl/terminal.hpp"
#include "store/installation.hpp"
#include "store/users/password_resets.hpp"
#include "web/pages.hpp"

#include <stdexcept>

namespace usershell::ctl {

EmailAddress address_argument(Arguments& arguments) {
    auto address = parse_email(arguments.next("EMAIL"));
    if (!address) throw UsageError{"That is no e-mail address."};
    return *std::move(address);
}

std::string parse_name(const std::string& text) {
    if (!is_utf8(text)) throw UsageError{"The name must be UTF-8 text."};
    std::string name = trim(text);
    if (name.empty()) throw UsageError{"--name is empty."};
    if (const std::string error = rules::error_in(rules::display_name, name); !error.empty())
        throw UsageError{error};
    return name;
}

store::UserSummary user_argument(store::Lease& lease, const EmailAddress& address) {
    auto user = store::find_user(lease, address.normalized);
    if (!user) throw std::runtime_error{"There is nobody with the address " + address.shown + "."};
    return *std::move(user);
}

std::string_view state_of(const store::UserSummary& user) {
    if (user.disabled) return "disabled";
    return user.has_password ? "active" : "no password";
}

std::string read_password_hash(const Settings& settings, const std::string& email,
                               const std::string& name) {
    const PasswordRule rule{settings.common_passwords, settings.base_url};
    const crypto::Secret password = read_new_password("Password");
    if (const std::string error = rule.error_in(password.reveal(), email, name); !error.empty())
        throw std::runtime_error{error};
    const crypto::PasswordHasher hasher{{settings.password_opslimit, settings.password_memlimit}};
    return hasher.hash(password.reveal());
}

void send_invitation(const Settings& settings, store::Lease& lease, const UserId& user,
                     const std::string& display_name, const EmailAddress& address) {
    if (!settings.mail_configured())
        throw UsageError{"No mail can be sent: the setting mail-public is empty."};
    const web::Pages pages{settings.templates, app::template_names()};
    const auto web_ring = crypto::load_ring<crypto::WebSecret>(settings.web_secret);
    const auto mail_ring = crypto::load_ring<crypto::MailPublic>(settings.mail_public);
    store::require_rings(lease, {crypto::summary_of(web_ring), crypto::summary_of(mail_ring)});
    const app::MailWriter mails{pages, crypto::MailSealer{web_ring, mail_ring}, settings.base_url};
    const std::string token = crypto::base64url(crypto::random_bytes(32));
    store::start_password_reset(
        lease, user, {app::reset_token_hash(token), rules::invitation_lifetime, true},
        mails.invitation(user, display_name, address, token, rules::invitation_lifetime));
}

} // namespace usershell::ctl
