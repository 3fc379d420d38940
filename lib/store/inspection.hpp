// Facts for an operator's check. Role usershell_owner.
#pragma once

#include "store/database/database.hpp"

#include <map>
#include <string>
#include <vector>

namespace usershell::store {

/// The number of connections that PostgreSQL allows to ordinary roles.
long long connections_allowed(Lease& lease);

/// The different base URLs of active providers, a few of them.
std::vector<std::string> some_base_urls(Lease& lease);

/// The rights in the schema: grants on tables, columns and functions, row-level security, triggers,
/// owners. The migrations record them in usershell.rights, each as the statement that grants it.
/// The view usershell.rights_in_force shows the present ones. A restore without grants, or a grant
/// changed by hand, shows as a difference.
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
