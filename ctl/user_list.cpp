#include "ctl/command.hpp"
#include "ctl/users.hpp"

#include <iostream>

namespace usershell::ctl {

void user_list(const Settings& settings, Arguments& arguments) {
    arguments.finish();
    OperatorStore store{settings};
    for (const store::UserSummary& user : store::list_users(store)) {
        std::cout << user.email << '\t' << user.display_name << '\t'
                  << (user.disabled ? "disabled" : (user.has_password ? "active" : "no password"))
                  << '\t' << user.providers << " providers\t" << user.sessions
                  << " sessions\tsince " << rfc3339_seconds(user.created_at) << '\n';
    }
}

} // namespace usershell::ctl
