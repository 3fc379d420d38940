#include "ctl/command.hpp"
#include "ctl/users/links.hpp"
#include "ctl/users/users.hpp"

#include <iostream>

namespace usershell::ctl {

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
