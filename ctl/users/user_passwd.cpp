#include "ctl/command.hpp"
#include "ctl/users/users.hpp"

#include <iostream>

namespace usershell::ctl {

void user_passwd(const Settings& settings, Arguments& arguments) {
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    const std::string hash = read_password_hash(settings, user.email, user.display_name);
    store::operator_set_password(store, user.id, hash);
    std::cout << "Set the password of " << user.email << "; their sessions have ended.\n";
}

} // namespace usershell::ctl
