#include "crypto/token.hpp"
#include "ctl/command.hpp"
#include "ctl/users/links.hpp"
#include "ctl/users/users.hpp"
#include "store/users/users.hpp"

#include <iostream>

namespace usershell::ctl {

void user_add(const Settings& settings, Arguments& arguments) {
    const std::string name = parse_name(arguments.required_option("name"));
    const bool invite = arguments.flag("invite");
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    if (invite && !settings.mail_configured())
        throw UsageError{"No mail can be sent: the setting mail-public is empty."};

    const auto user = crypto::random_id<UserId>();
    if (invite) {
        OperatorStore store{settings};
        const LinkWriter links{settings, store};
        const auto link = links.invitation(user, name, email);
        store::add_invited_user(store, user, email, name, link.reset, link.mail);
    } else {
        const std::string hash = read_password_hash(settings, email.shown, name);
        OperatorStore store{settings};
        store::add_user(store, user, email, name, hash);
    }
    std::cout << (invite ? "Added and invited " : "Added ") << email.shown << ".\n";
}

} // namespace usershell::ctl
