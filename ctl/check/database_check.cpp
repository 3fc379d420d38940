#include "ctl/check/inspection.hpp"
#include "store/inspection.hpp"
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

/// Keys of ours have the order "C" (a store test holds the schema to it), so that no row is lost
/// or made twice meanwhile.
void check_collations(store::Lease& store, Findings& findings) {
    for (const auto& statement : store::stale_collation_versions(store))
        findings.fault("The server's order of letters is another than when the database was made.",
                       "As the superuser, in this database: " + statement);
}

/// Each program against the limit of its role.
void check_limit(Program program, long long wanted, const std::map<std::string, long long>& limits,
                 Findings& findings) {
    std::string role{name_of(program)};
    std::ranges::replace(role, '-', '_');
    const auto limit = limits.find(role);
    if (limit == limits.end() || wanted <= limit->second) return;
    findings.fault("The role " + role + " may have " + std::to_string(limit->second) +
                       " connections, and its processes may open " + std::to_string(wanted) + ".",
                   "Raise max_connections in postgresql.conf, then systemctl restart postgresql "
                   "and usershellctl init; or lower database-connections.");
}

} // namespace

void check_database(Inspection& inspection, Findings& findings) {
    try {
        inspection.store.emplace(inspection.settings);
    } catch (const Error& error) {
        findings.fault(error.what(), words_for(error.remedy(), "Run usershellctl init."));
        findings.hide_what_follows();
        return;
    }
    store::Lease& store = *inspection.store;
    findings.good("The database answers and has this version's schema.");
    const auto roles = store::faults_of_roles(store);
    for (const auto& fault : roles)
        findings.fault(fault, "Run usershellctl init, or psql with sql/roles.sql.");
    check_collations(store, findings);
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
    const auto people = store::list_users(*inspection.store);
    const auto able = std::ranges::count_if(
        people, [](const store::UserSummary& user) { return user.has_password && !user.disabled; });
    findings.check(able != 0, std::to_string(able) + " people can sign in.", "Nobody can sign in.",
                   "Run usershellctl user add EMAIL --name NAME.");
}

void check_connections(Inspection& inspection, Findings& findings) {
    constexpr long long others = 3; // usershell-mail and usershellctl
    const auto limits = store::connection_limits(*inspection.store);
    long long wanted = others;
    for (const Program program : workers) {
        const auto running = std::ranges::count_if(inspection.units, [program](const auto& entry) {
            return entry.first.starts_with(std::string{name_of(program)} + "@") &&
                   entry.second.active == "active";
        });
        const Settings* const settings = inspection.settings_of(program);
        if (settings == nullptr) continue;
        const long long of_program =
            std::max<long long>(running, 1) * settings->database_connections;
        check_limit(program, of_program, limits, findings);
        wanted += of_program;
    }
    const auto allowed = store::connections_allowed(*inspection.store);
    const std::string numbers = "PostgreSQL allows " + std::to_string(allowed) +
                                " connections, and the programs may open " +
                                std::to_string(wanted) + ".";
    findings.check(wanted <= allowed, numbers, numbers,
                   "Raise max_connections in postgresql.conf, then systemctl restart postgresql "
                   "and usershellctl init; or lower database-connections.");
}

} // namespace usershell::ctl
