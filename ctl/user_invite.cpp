#include "ctl/command.hpp"
#include "ctl/people.hpp"

#include <iostream>

namespace usershell {

void user_invite(const Settings& settings, Arguments& arguments) {
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const Person person = person_argument(store, email);
    send_invitation(settings, store, person.id, person.display_name, email);
    std::cout << "Invited " << person.email << ".\n";
}

} // namespace usershell
