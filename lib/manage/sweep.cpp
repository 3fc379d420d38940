#include "manage/services.hpp"

#include "base/log.hpp"
#include "store/users/sessions.hpp"
#include "store/users/throttle.hpp"

namespace usershell::manage {

std::chrono::milliseconds sweep(Services& services) {
    constexpr int at_a_time = 1000;
    store::Lease lease{services.database};
    const int sessions = store::sweep_sessions(lease, at_a_time);
    const int leftovers = store::sweep_leftovers(lease, at_a_time);
    if (sessions + leftovers > 0) {
        log(Level::info, "swept",
            {{"sessions", std::to_string(sessions)}, {"leftovers", std::to_string(leftovers)}});
    }
    const bool more = sessions >= at_a_time || leftovers >= at_a_time;
    return more ? std::chrono::milliseconds{100} : std::chrono::minutes{10};
}

} // namespace usershell::manage
