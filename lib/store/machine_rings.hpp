// Which rings the programs of each machine have, for an operator of several machines.
#pragma once

#include "crypto/ring/ring.hpp"
#include "store/database/database.hpp"

#include <string>
#include <vector>

namespace usershell::store {

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
