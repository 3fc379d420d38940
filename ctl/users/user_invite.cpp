#include "ctl/command.hpp"
#include "ctl/users/users.hpp"

#include <iostream>

namespace usershell::ctl {

void user_invite(const Settings& settings, Arguments& arguments) {
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    // The stored address: the one given may be another mailbox that case folding makes the same.
    send_invitation(settings, store, user.id, user.display_name, parse_email(user.email).value());
    std::cout << "Invited " << user.email << ".\n";
}

} // namespace usershell::ctl
