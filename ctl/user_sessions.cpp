#include "ctl/command.hpp"
#include "ctl/people.hpp"

#include <iostream>

namespace usershell {

void user_sessions(const Settings& settings, Arguments& arguments) {
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const Person person = person_argument(store, email);
    for (const SessionRow& session : list_sessions(store, person.id)) {
        std::cout << "signed in " << session.signed_in_at << "\tlast seen " << session.last_seen_at
                  << "\tends " << session.ends_at << (session.remembered ? "\tremembered" : "")
                  << '\n';
    }
}

} // namespace usershell
