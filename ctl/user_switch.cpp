#include "ctl/command.hpp"
#include "ctl/people.hpp"

#include <iostream>

namespace usershell {

namespace {

void switch_person(const Settings& settings, Arguments& arguments, bool disabled) {
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const Person person = person_argument(store, email);
    set_disabled(store, person.id, disabled);
    std::cout << (disabled ? "Disabled " : "Enabled ") << person.email << ".\n";
}

} // namespace

void user_disable(const Settings& settings, Arguments& arguments) {
    switch_person(settings, arguments, true);
}

void user_enable(const Settings& settings, Arguments& arguments) {
    switch_person(settings, arguments, false);
}

} // namespace usershell
