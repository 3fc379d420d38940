#include "ctl/command.hpp"
#include "ctl/people.hpp"

#include <iostream>

namespace usershell {

void user_delete(const Settings& settings, Arguments& arguments) {
    const bool sure = arguments.flag("yes");
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    if (!sure)
        throw UsageError{
            "This deletes a person with all their providers and keys; add --yes to do it."};
    OperatorStore store{settings};
    const Person person = person_argument(store, email);
    delete_person(store, person.id);
    std::cout << "Deleted " << person.email << " and their " << person.providers << " providers.\n";
}

} // namespace usershell
