// The units of systemd, as a check sees them.
#pragma once

#include <map>
#include <string>

namespace usershell::ctl {

struct Unit {
    std::string load;     ///< "loaded", "masked", "not-found"
    std::string active;   ///< "active", "inactive", "failed", "activating" …
    std::string sub;      ///< "running", "auto-restart" …
    std::string restarts; ///< NRestarts: by systemd itself, since it was started by hand
    std::string files;    ///< LimitNOFILE
    std::string allow;    ///< IPAddressAllow
};

/// Those of usershell and nginx, by name. Empty: systemd does not run here.
std::map<std::string, Unit> units();

/// The last sentence of a failure in the unit's journal; empty: there is none of late.
std::string last_failure(const std::string& unit);

} // namespace usershell::ctl
