#include "ctl/command.hpp"
#include "ctl/operator_store.hpp"

#include "store/database/migrate.hpp"

#include <iostream>

namespace usershell::ctl {

void migrate_store(const Settings& settings, Arguments& arguments) {
    arguments.finish();
    const auto applied = store::migrate(owner_connection(settings));
    for (const std::string& name : applied) std::cout << "Applied " << name << ".\n";
    if (applied.empty()) std::cout << "Nothing to do.\n";
}

} // namespace usershell::ctl
