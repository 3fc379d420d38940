#include "crypto/token.hpp"
#include "ctl/command.hpp"
#include "ctl/users/users.hpp"
#include "store/users/users.hpp"

#include <iostream>

namespace usershell::ctl {

void user_add(const Settings& settings, Arguments& arguments) {
    const std::string name = parse_name(arguments.required_option("name"));
    const bool invite = arguments.flag("invite");
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    if (invite && !settings.mail_configured()) {
        throw UsageError{"No mail can be sent: the setting mail-public is empty."};
    }

    const std::string hash =
        invite ? std::string{} : read_password_hash(settings, email.shown, name);
    OperatorStore store{settings};
    const auto user = crypto::random_id<UserId>();
    store::add_user(store, user, email, name, hash);
    if (invite) send_invitation(settings, store, user, name, email);
    std::cout << (invite ? "Added and invited " : "Added ") << email.shown << ".\n";
}

} // namespace usershell::ctl
