#include "ctl/command.hpp"
#include "ctl/people.hpp"

#include <iostream>

namespace usershell {

void user_passwd(const Settings& settings, Arguments& arguments) {
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const Person person = person_argument(store, email);
    operator_set_password(store, person.id, read_password_hash(settings));
    std::cout << "Set the password of " << person.email << "; their sessions have ended.\n";
}

} // namespace usershell
