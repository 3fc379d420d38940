#include "ctl/command.hpp"
#include "ctl/users/users.hpp"

#include <iostream>

namespace usershell::ctl {

void after_restore(const Settings& settings, Arguments& arguments) {
    const bool sure = arguments.flag("yes");
    arguments.finish();
    if (!sure) throw UsageError{"This signs everybody out; add --yes to do it."};
    OperatorStore store{settings};
    store::end_everything(store);
    std::cout << "Ended all sessions, mailed links and waiting mail.\n";
}

} // namespace usershell::ctl
