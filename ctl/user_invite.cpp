#include "ctl/command.hpp"
#include "ctl/users.hpp"

#include <iostream>

namespace usershell::ctl {

void user_invite(const Settings& settings, Arguments& arguments) {
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    send_invitation(settings, store, user.id, user.display_name, email);
    std::cout << "Invited " << user.email << ".\n";
}

} // namespace usershell::ctl
