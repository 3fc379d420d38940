#include "crypto/ring/files.hpp"
#include "ctl/check/inspection.hpp"
#include "store/installation.hpp"
#include "store/rings.hpp"

#include <sys/stat.h>

namespace usershell::ctl {

namespace {

/// The programs that read a public file run as users of their own.
void check_readers(crypto::RingRole role, const Inspection& inspection, Findings& findings) {
    const std::string file = inspection.settings.rings + "/" + crypto::ring_file_name(role, false);
    struct stat status {};
    if (stat(file.c_str(), &status) == 0 && (status.st_mode & S_IROTH) == 0)
        findings.fault(file + " is not readable by the programs that need it.",
                       "chmod 644 " + file);
}

/// Adds the ring to `whole` if its files are good; every fault is a finding.
void check_one(crypto::RingRole role, const Inspection& inspection, Findings& findings,
               std::vector<crypto::RingSummary>& whole) {
    const std::string name{crypto::name_of(role)};
    check_readers(role, inspection, findings);
    try {
        const crypto::RingFiles files{role, inspection.settings.rings};
        const auto difference = files.difference();
        findings.check(difference.empty(), "The " + name + " ring is whole.", difference,
                       "Put both files back from your copy, or run usershellctl ring activate, "
                       "which writes both anew.");
        if (difference.empty()) whole.push_back(files.summary());
    } catch (const crypto::RingError& error) {
        const std::string_view sentence = error.what();
        const bool is_open = sentence.find(" may ") != std::string_view::npos ||
                             sentence.find("another user") != std::string_view::npos;
        findings.fault(error.what(), is_open
                                         ? "No program starts with it. Mend owner and mode: chown "
                                           "root, chmod 600 for .secret, 644 for .public."
                                         : "Put both files of this ring back from your copy.");
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
