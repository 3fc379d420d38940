#include "ctl/command.hpp"
#include "ctl/people.hpp"

#include <iostream>

namespace usershell {

void user_list(const Settings& settings, Arguments& arguments) {
    arguments.finish();
    OperatorStore store{settings};
    for (const Person& person : list_people(store)) {
        std::cout << person.email << '\t' << person.display_name << '\t'
                  << (person.disabled ? "disabled"
                                      : (person.has_password ? "active" : "no password"))
                  << '\t' << person.providers << " providers\t" << person.sessions
                  << " sessions\tsince " << person.created_at << '\n';
    }
}

} // namespace usershell
