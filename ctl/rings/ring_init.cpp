#include "ctl/command.hpp"
#include "ctl/operator_store.hpp"
#include "ctl/rings/rings.hpp"

#include <iostream>

namespace usershell::ctl {

void ring_init(const Settings& settings, Arguments& arguments) {
    const bool replace = arguments.flag("replace");
    arguments.finish();
    OperatorStore store{settings};
    make_rings(settings, store, replace);
    std::cout << "Made the vault, web and mail rings, .secret and .public, in " << settings.rings
              << ".\nKeep a copy of the secret files: without them no stored key can be read.\n";
}

} // namespace usershell::ctl
