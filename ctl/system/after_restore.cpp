#include "ctl/command.hpp"
#include "ctl/operator_store.hpp"
#include "store/users/user_admin.hpp"

#include <iostream>

namespace usershell::ctl {

namespace {

/// A restored database does not know what happened after its backup, such as which keys were
/// deleted.
void tell_of_revived_keys(const store::RestoredState& state) {
    std::cout << "The newest thing that this database knows of happened "
              << (state.newest ? "at " + rfc3339_seconds(*state.newest) : "never") << ". Of its "
              << state.keys << " keys of " << state.people_with_keys
              << " people, those that were deleted or replaced after that are back as they were "
                 "then, and nothing here can tell which: ask these people to look at their "
                 "providers (usershellctl user list names them).\n";
}

} // namespace

void after_restore(const Settings& settings, Arguments& arguments) {
    const bool sure = arguments.flag("yes");
    arguments.finish();
    if (!sure) throw UsageError{"This signs everybody out; add --yes to do it."};
    OperatorStore store{settings};
    const auto state = store::restored_state(store);
    store::end_everything(store);
    std::cout << "Ended all sessions, mailed links and waiting mail.\n";
    tell_of_revived_keys(state);
}

} // namespace usershell::ctl
