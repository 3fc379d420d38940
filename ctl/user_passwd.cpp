#include "ctl/command.hpp"
#include "ctl/users.hpp"

#include <iostream>

namespace usershell::ctl {

void user_passwd(const Settings& settings, Arguments& arguments) {
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    store::operator_set_password(store, user.id, read_password_hash(settings));
    std::cout << "Set the password of " << user.email << "; their sessions have ended.\n";
}

} // namespace usershell::ctl
