#include "crypto/ring/create.hpp"
#include "ctl/command.hpp"
#include "ctl/users.hpp"
#include "store/installation.hpp"

#include <iostream>
#include <stdexcept>

namespace usershell::ctl {

void ring_init(const Settings& settings, Arguments& arguments) {
    const std::string directory = arguments.required_option("directory");
    const bool replace = arguments.flag("replace");
    arguments.finish();
    OperatorStore store{settings};
    crypto::NewRings rings{directory, store::installation_id(store)};
    if (!store::register_rings(store, rings.summaries(), replace))
        throw std::runtime_error{
            "This installation has its key rings already. With --replace it gets new ones, and "
            "nothing that is sealed to the old ones opens any more."};
    rings.keep();
    std::cout << "Made the vault, web and mail rings, .secret and .public, in " << directory
              << ".\nKeep a copy of the secret files: without them no stored key can be read.\n";
}

} // namespace usershell::ctl
