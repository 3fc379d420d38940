// The installation of a database and its ring keys. A program compares its rings with them before
// it serves: that finds swapped, planted, copied and outdated rings, also when each file is
// well-formed (crypto/ring/ring.hpp checks one file). Only the operator's role may write them.
// Programs report the rings that they have on each machine, for an operator of several.
#pragma once

#include "base/ids.hpp"
#include "base/timestamp.hpp"
#include "crypto/ring/ring.hpp"
#include "store/database/database.hpp"

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

/// Stores that the calling program has these rings on that machine. What a program has not
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

} // namespace usershell::store
