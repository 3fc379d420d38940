#include "ctl/command.hpp"

#include "crypto/ring.hpp"

#include <iostream>

namespace usershell::ctl {

void ring_init(const Settings& /*settings*/, Arguments& arguments) {
    const std::string directory = arguments.required_option("directory");
    arguments.finish();
    crypto::create_rings(directory);
    std::cout << "Made vault.secret, vault.public, web.secret and web.public in " << directory
              << ".\nKeep a copy of the secret files: without them no stored key can be read.\n";
}

} // namespace usershell::ctl
