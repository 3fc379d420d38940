#include "ctl/check/inspection.hpp"
#include "ctl/operator_store.hpp"
#include "store/rights/rights.hpp"
#include "store/users/user_admin.hpp"

#include <algorithm>

namespace usershell::ctl {

namespace {

/// The statement that takes back what another one gives.
std::string undoing(const std::string& statement) {
    const std::string_view grant = "GRANT ";
    const auto to = statement.rfind(" TO ");
    if (statement.starts_with(grant) && to != std::string::npos)
        return "REVOKE " + statement.substr(grant.size(), to - grant.size()) + " FROM " +
               statement.substr(to + 4);
    return "Nothing of ours has made it so: undo it.";
}

} // namespace

void check_database(Inspection& inspection, Findings& findings) {
    OperatorStore store{inspection.settings};
    findings.good("The database answers and has this version's schema.");
    const auto roles = store::faults_of_roles(store);
    for (const auto& fault : roles)
        findings.fault(fault, "Run usershellctl init, or psql with sql/roles.sql.");
    const auto rights = store::compare_rights(store);
    for (const auto& statement : rights.missing)
        findings.fault("A right or a protection is missing in the database.",
                       "As usershell_owner: " + statement);
    for (const auto& statement : rights.foreign)
        findings.fault("The database grants what nothing of ours has granted: " + statement,
                       "As usershell_owner: " + undoing(statement));
    if (roles.empty() && rights.missing.empty() && rights.foreign.empty())
        findings.good("Roles, grants and row-level security are those of the schema.");
}

void check_people(Inspection& inspection, Findings& findings) {
    OperatorStore store{inspection.settings};
    const auto people = store::list_users(store);
    const auto able = std::ranges::count_if(
        people, [](const store::UserSummary& user) { return user.has_password && !user.disabled; });
    findings.judge(able != 0, std::to_string(able) + " people can sign in.", "Nobody can sign in.",
                   "Run usershellctl user add EMAIL --name NAME.");
}

} // namespace usershell::ctl
