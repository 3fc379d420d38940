// Every statement of the program. Adding one: a constant beside the function that uses it, a row in
// that file's list. Inside lib/store and its tests only.
#pragma once

#include "store/database/statement.hpp"

#include <vector>

namespace usershell::store {

/// All of them, the lists below in a row. Any thread may read.
const std::vector<const Statement*>& all_statements();

StatementList account_statements();
StatementList avatar_statements();
StatementList call_slot_statements();
StatementList connection_statements();
StatementList email_change_statements();
StatementList execution_statements();
StatementList health_statements();
StatementList migration_statements();
StatementList model_statements();
StatementList outbox_statements();
StatementList parent_statements();
StatementList password_reset_statements();
StatementList user_admin_statements();
StatementList provider_statements();
StatementList scope_statements();
StatementList session_statements();
StatementList throttle_statements();
StatementList user_statements();

} // namespace usershell::store
