#include "ctl/operator_store.hpp"

#include "store/database/conninfo.hpp"
#include "store/migrations/migrate.hpp"

namespace usershell::ctl {

std::string owner_connection(const Settings& settings) {
    return store::with_default_user(settings.database, "usershell_owner");
}

OperatorStore::OperatorStore(const Settings& settings)
    : database_{owner_connection(settings),
                1,
                {.limit = std::chrono::hours{24}, .for_operator = true}},
      lease_{database_} {
    store::require_schema(database_);
}

} // namespace usershell::ctl
