#include "store/database/statements.hpp"

namespace usershell::store {

namespace {

std::vector<const Statement*> gather() {
    std::vector<const Statement*> all;
    for (const StatementList list :
         {account_statements(), avatar_statements(), call_slot_statements(),
          connection_statements(), email_change_statements(), execution_statements(),
          health_statements(), migration_statements(), model_statements(), outbox_statements(),
          parent_statements(), password_reset_statements(), user_admin_statements(),
          provider_statements(), scope_statements(), session_statements(), throttle_statements(),
          user_statements()}) {
        all.insert(all.end(), list.begin(), list.end());
    }
    return all;
}

} // namespace

const std::vector<const Statement*>& all_statements() {
    static const std::vector<const Statement*> all = gather();
    return all;
}

} // namespace usershell::store
