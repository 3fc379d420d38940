#include "ctl/command.hpp"
#include "ctl/users/users.hpp"

#include <iostream>

namespace usershell::ctl {

namespace {

void switch_user(const Settings& settings, Arguments& arguments, bool disabled) {
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    store::set_disabled(store, user.id, disabled);
    std::cout << (disabled ? "Disabled " : "Enabled ") << user.email << ".\n";
}

} // namespace

void user_disable(const Settings& settings, Arguments& arguments) {
    switch_user(settings, arguments, true);
}

void user_enable(const Settings& settings, Arguments& arguments) {
    switch_user(settings, arguments, false);
}

} // namespace usershell::ctl
