// Facts for an operator's check. Role usershell_owner.
#pragma once

#include "store/database/database.hpp"

#include <string>
#include <vector>

namespace usershell::store {

/// The number of connections that PostgreSQL allows to ordinary roles.
long long connections_allowed(Lease& lease);

/// The different base URLs of active providers, a few of them.
std::vector<std::string> some_base_urls(Lease& lease);

} // namespace usershell::store
