#include "ctl/command.hpp"
#include "ctl/users/users.hpp"

#include <iostream>

namespace usershell::ctl {

void user_delete(const Settings& settings, Arguments& arguments) {
    const bool sure = arguments.flag("yes");
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    if (!sure)
        throw UsageError{
            "This deletes a person with all their providers and keys; add --yes to do it."};
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    store::delete_user(store, user.id);
    std::cout << "Deleted " << user.email << " and their " << user.providers << " providers.\n";
}

} // namespace usershell::ctl
