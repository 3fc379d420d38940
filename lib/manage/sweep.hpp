// Clearing away what has expired: sessions, one-time links, pending changes of address, old tries.
#pragma once

#include "manage/services.hpp"

#include <chrono>

namespace usershell::manage {

/// One round; returns how long to wait before the next. Several processes may sweep at a time.
std::chrono::milliseconds sweep(Services& services);

} // namespace usershell::manage
