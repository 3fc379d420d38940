#include "crypto/ring/files.hpp"
#include "ctl/check/inspection.hpp"
#include "ctl/operator_store.hpp"
#include "store/installation.hpp"

namespace usershell::ctl {

namespace {

/// Adds the ring to `whole` if its files are good; every fault is a finding.
void check_one(crypto::RingRole role, const Inspection& inspection, Findings& findings,
               std::vector<crypto::RingSummary>& whole) {
    const std::string name{crypto::name_of(role)};
    try {
        const crypto::RingFiles files{role, inspection.settings.rings};
        const auto difference = files.difference();
        findings.judge(difference.empty(), "The " + name + " ring is whole.", difference,
                       "Put both files back from your copy, or run usershellctl ring activate, "
                       "which writes both anew.");
        if (difference.empty()) whole.push_back(files.summary());
    } catch (const crypto::RingError& error) {
        findings.fault(error.what(),
                       "No program starts with it: mend its owner and mode, or put it "
                       "back from your copy.");
    }
}

} // namespace

void check_rings(Inspection& inspection, Findings& findings) {
    std::vector<crypto::RingSummary> whole;
    for (const auto role : crypto::all_ring_roles) check_one(role, inspection, findings, whole);
    OperatorStore store{inspection.settings};
    for (const auto& ring : whole) {
        try {
            store::require_rings(store, {ring});
        } catch (const Error& error) {
            findings.fault(error.what(), "Put this installation's ring back from your copy.");
        }
    }
}

} // namespace usershell::ctl
