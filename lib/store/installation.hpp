// The installation of a database and its ring keys. A program compares its rings with them before
// it serves: that finds swapped, planted, copied and outdated rings, also when each file is
// well-formed (crypto/ring/ring.hpp checks one file). Only the operator's role may write them.
// Programs report the rings that they have on each machine, for an operator of several.
#pragma once

#include "base/ids.hpp"
#include "base/timestamp.hpp"
#include "crypto/ring/ring.hpp"
#include "store/database/database.hpp"

#include <map>
#include <string>
#include <vector>

namespace usershell::store {

/// The id that the first migration drew.
InstallationId installation_id(Lease& lease);

/// The database's own clock.
Timestamp database_time(Lease& lease);

/// Registers the keys of new rings, in one transaction. False, and nothing done, when the
/// installation has rings already and `replace` does not say to forget their keys: what is sealed
/// to those can't be opened any more.
bool register_rings(Lease& lease, const std::vector<crypto::RingSummary>& rings, bool replace);

/// Throws Error with one sentence when a ring is of another installation than the
/// database, or holds a key that the installation does not know. For the start of a program.
void require_rings(Lease& lease, const std::vector<crypto::RingSummary>& rings);

/// Requires this program's schema (require_schema()) and rings of this installation. Each
/// program calls it before it serves.
void require_store(Database& database, const std::vector<crypto::RingSummary>& rings);

/// Stores that the calling program has these rings on that machine. A row that its program has not
/// repeated for a day is forgotten.
void report_rings(Lease& lease, const std::string& machine,
                  const std::vector<crypto::RingSummary>& rings);

struct MachineRing {
    std::string machine;
    std::string program; ///< "usershell-manage"
    std::string ring;    ///< "vault"
    std::string fingerprint;
};
/// In the order of machines and programs. Role usershell_owner.
std::vector<MachineRing> list_machine_rings(Lease& lease);

// Facts for an operator's check. Role usershell_owner.

/// The number of connections that PostgreSQL allows to ordinary roles, without those that others
/// than ours have.
long long connections_allowed(Lease& lease);

/// The different base URLs of active providers, a few of them.
std::vector<std::string> some_base_urls(Lease& lease);

/// The rights in the schema: grants on tables, columns and functions, row-level security, triggers,
/// owners, indexes. The migrations record them in usershell.rights, each as the statement that
/// grants it. The view usershell.rights_in_force shows the present ones. A restore without grants,
/// or a grant changed by hand, shows as a difference.
struct RightsDifference {
    std::vector<std::string>
        missing; ///< recorded, but not in force: the statements that restore them
    std::vector<std::string> foreign; ///< in force, but not recorded
};
RightsDifference compare_rights(Lease& lease);

/// The faults of the roles, a sentence each: one that is missing, may do more than connect, may log
/// in with a password or take all connections, is a member of another, or has what a thief of it
/// may have left: settings, large objects, prepared transactions. sql/roles.sql mends all but the
/// last.
std::vector<std::string> faults_of_roles(Lease& lease);

/// Of each role that has one, by its name: so many connections at most.
std::map<std::string, long long> connection_limits(Lease& lease);

/// The server's order of letters is another than that of the database, or of an index of ours, when
/// it was made: the statements that rebuild the indexes and record the new version.
std::vector<std::string> stale_collation_versions(Lease& lease);

} // namespace usershell::store
