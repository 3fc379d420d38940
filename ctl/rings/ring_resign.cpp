#include "crypto/ring/files.hpp"
#include "ctl/command.hpp"
#include "ctl/rings/resigning.hpp"
#include "ctl/system/confinement.hpp"

#include <filesystem>
#include <string>

#include <unistd.h>

namespace usershell::ctl {

void ring_resign(const Settings& settings, Arguments& arguments) {
    const std::string user = arguments.option("user").value_or("usershell-resign");
    arguments.finish();
    const auto web =
        crypto::load_ring<crypto::WebSecret>(std::filesystem::path{settings.rings} /
                                             crypto::ring_file_name(crypto::RingRole::web, true));
    const crypto::Resigner resigner{web};
    confine(user, false);
    answer_requests(STDIN_FILENO, resigner);
}

} // namespace usershell::ctl
