#include "ctl/command.hpp"
#include "ctl/table.hpp"
#include "ctl/users/users.hpp"

namespace usershell::ctl {

void user_list(const Settings& settings, Arguments& arguments) {
    Table table{arguments,
                {{"email"},
                 {"name"},
                 {"state"},
                 {"providers", "", " providers"},
                 {"sessions", "", " sessions"},
                 {"createdAt", "since "}}};
    arguments.finish();
    OperatorStore store{settings};
    for (const store::UserSummary& user : store::list_users(store))
        table.add({user.email, user.display_name, std::string{state_of(user)}, user.providers,
                   user.sessions, cell(user.created_at)});
    table.print();
}

} // namespace usershell::ctl
