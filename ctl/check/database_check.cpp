#include "base/ascii.hpp"
#include "crypto/ring/files.hpp"
#include "ctl/check/inspection.hpp"
#include "ctl/init/administrator.hpp"
#include "store/database/conninfo.hpp"
#include "store/installation.hpp"
#include "store/rings.hpp"
#include "store/users/user_admin.hpp"

#include <algorithm>

#include <sys/stat.h>

namespace usershell::ctl {

namespace {

/// The statement that takes back what another one gives.
std::string undoing(const std::string& statement) {
    const std::string_view grant = "GRANT ";
    const auto to = statement.rfind(" TO ");
    if (statement.starts_with(grant) && to != std::string::npos)
        return "REVOKE " + statement.substr(grant.size(), to - grant.size()) + " FROM " +
               statement.substr(to + 4);
    const std::string_view policy = "CREATE POLICY ";
    if (statement.starts_with(policy))
        return "DROP POLICY " +
               statement.substr(policy.size(), statement.find(" AS ") - policy.size());
    std::string other = statement;
    if (const auto at = other.find(" ENABLE TRIGGER "); at != std::string::npos)
        return other.replace(at, 8, " DISABLE ");
    return "-- undo: " + statement;
}

/// Keys of ours have the order "C" (a store test holds the schema to it), so that no row is lost
/// or made twice until then.
void check_collations(store::Lease& store, const std::string& database, Findings& findings) {
    for (const auto& statement : store::stale_collation_versions(store))
        findings.fault("The server's order of letters is another than when the database was made.",
                       as_administrator(database, statement));
}

/// Roles that a line lets in by TCP before one rejects them at every address. A certificate is
/// given by the operator. Lines may stand in several files: the view has them in their order.
constexpr const char* roles_let_in = R"sql(
WITH lines AS (SELECT *, row_number() OVER () AS place FROM pg_hba_file_rules)
SELECT r.rolname FROM lines l JOIN pg_roles r ON r.rolname LIKE 'usershell\_%' AND EXISTS (
    SELECT FROM unnest(l.user_name) AS u (name)
     WHERE u.name IN ('all', r.rolname, '+' || r.rolname) OR (u.name LIKE '/%' AND r.rolname ~ substr(u.name, 2)))
 WHERE l.type LIKE 'host%'
 GROUP BY r.rolname
HAVING min(l.place) FILTER (WHERE l.auth_method NOT IN ('reject', 'cert') AND l.database <> ARRAY['replication'])
     < coalesce(min(l.place) FILTER (WHERE l.type = 'host' AND l.auth_method = 'reject' AND l.address = 'all'
                                       AND 'all' = ANY (l.database)), float8 'infinity')
 ORDER BY 1)sql";

/// Only a superuser sees these lines. Without one on this machine there is no finding.
void check_access(const Inspection& inspection, Findings& findings) {
    if (!is_local(inspection.settings.database)) return;
    std::vector<std::string> roles;
    try {
        roles = Administrator{inspection.settings, {}}.ask(roles_let_in);
    } catch (const Error&) {
        return;
    }
    for (const auto& role : roles)
        findings.fault("pg_hba.conf lets the role " + role + " in by TCP.",
                       words_for(Remedy::write_access_lines, {}));
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
        if (inspection.broken.contains("server"))
            findings.skip("The database is not reached", "mend server first");
        else
            findings.fault(error.what(), words_for(error.remedy(), "usershellctl init"));
        findings.hide_what_follows();
        return;
    }
    store::Lease& store = *inspection.store;
    const std::string database = store::keyword(inspection.settings.database, "dbname");
    findings.good("The database answers and has this version's schema.");
    const auto roles = store::faults_of_roles(store);
    for (const auto& fault : roles) findings.fault(fault, words_for(Remedy::init, {}));
    check_access(inspection, findings);
    check_collations(store, database, findings);
    const auto rights = store::compare_rights(store);
    for (const auto& statement : rights.missing)
        findings.fault("A right or a protection is missing in the database.",
                       as_administrator(database, statement));
    for (const auto& statement : rights.foreign)
        findings.fault("The database grants what nothing of ours has granted: " + statement,
                       as_administrator(database, undoing(statement)));
    if (roles.empty() && rights.missing.empty() && rights.foreign.empty())
        findings.good("Roles, grants and row-level security are those of the schema.");
}

void check_people(Inspection& inspection, Findings& findings) {
    const auto people = store::list_users(*inspection.store);
    const auto able = std::ranges::count_if(
        people, [](const store::UserSummary& user) { return user.has_password && !user.disabled; });
    findings.check(able != 0, std::to_string(able) + " people can sign in.", "Nobody can sign in.",
                   "Run usershellctl user add EMAIL --name NAME.");
    const Settings* const auth = inspection.settings_of(Program::auth);
    if (auth == nullptr) return;
    const int stray =
        store::stray_passkeys(*inspection.store, std::string{host_name_of(auth->base_url)});
    if (stray > 0)
        findings.fault(std::to_string(stray) + " passkeys are for another host than base-url has.",
                       "Set base-url back, or have their owners make new ones.");
}

void check_connections(Inspection& inspection, Findings& findings) {
    constexpr long long others = 3; // usershell-mail and usershellctl
    const auto limits = store::connection_limits(*inspection.store);
    long long wanted = others;
    for (const Program program : servers) {
        const auto running = std::ranges::count_if(inspection.units, [program](const auto& entry) {
            return entry.first.starts_with(std::string{name_of(program)} + "@") &&
                   entry.second.is_active();
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

namespace {

/// A secret is its owner's alone, and the programs read the public file as users of their own.
void check_modes(crypto::RingRole role, const std::string& folder, Findings& findings) {
    for (const bool secret : {true, false}) {
        const std::string file = folder + "/" + crypto::ring_file_name(role, secret);
        struct stat status {};
        if (stat(file.c_str(), &status) != 0) continue;
        if (secret && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
            findings.fault("Others than its owner may use " + file + ".", "chmod 600 " + file);
        if (!secret && (status.st_mode & S_IROTH) == 0)
            findings.fault(file + " is not readable by the programs that need it.",
                           "chmod 644 " + file);
    }
}

/// Adds the ring to `whole` if its files are good; every fault is a finding.
void check_one(crypto::RingRole role, const Inspection& inspection, Findings& findings,
               std::vector<crypto::RingSummary>& whole) {
    const std::string name{crypto::name_of(role)};
    const std::string& folder = inspection.settings.rings;
    check_modes(role, folder, findings);
    try {
        const crypto::RingFiles files{role, folder};
        const auto difference = files.difference();
        findings.check(difference.empty(), "The " + name + " ring is whole.", difference,
                       "usershellctl ring activate " + name +
                           " KEY writes both anew (KEY: usershellctl "
                           "ring list); or put both files back from your copy.");
        if (difference.empty()) whole.push_back(files.summary());
    } catch (const crypto::RingError& error) {
        findings.fault(error.what(), words_for(error.remedy(), {}, {.rings = folder}));
    }
}

/// Data that depends on a key which no file has opens nowhere on this machine.
void check_keys_in_use(const std::vector<crypto::RingSummary>& whole, store::Lease& store,
                       Findings& findings) {
    if (whole.size() != crypto::all_ring_roles.size()) return; // said already
    auto uses = store::ring_uses(store);
    for (const auto& ring : whole)
        for (const auto& id : ring.ids) uses.erase(id.text());
    for (const auto& [id, count] : uses)
        findings.fault("The key " + id + " is in no ring of this machine; " +
                           std::to_string(count.keys + count.legacy) + " stored keys, " +
                           std::to_string(count.mails) + " mails and " +
                           std::to_string(count.avatars) + " pictures need it.",
                       "These rings are older than the installation's: put the newest copy back, "
                       "or that of another machine.");
}

} // namespace

void check_rings(Inspection& inspection, Findings& findings) {
    std::vector<crypto::RingSummary> whole;
    for (const auto role : crypto::all_ring_roles) check_one(role, inspection, findings, whole);
    if (!inspection.store) return;
    store::Lease& store = *inspection.store;
    check_keys_in_use(whole, store, findings);
    for (const auto& ring : whole) {
        try {
            store::require_rings(store, {ring});
        } catch (const Error& error) {
            findings.fault(error.what(), "Put this installation's ring back from your copy.");
        }
    }
}

} // namespace usershell::ctl
