#include "ctl/command.hpp"

#include "store/migrate.hpp"

#include <iostream>

namespace usershell {

void migrate_store(const Settings& settings, Arguments& arguments) {
    arguments.finish();
    const auto applied = migrate(owner_connection(settings));
    for (const std::string& name : applied) std::cout << "Applied " << name << ".\n";
    if (applied.empty()) std::cout << "Nothing to do.\n";
}

} // namespace usershell
