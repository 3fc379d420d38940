#include "store/machine_rings.hpp"

#include "store/database/run.hpp"

namespace usershell::store {

namespace {

constexpr auto by_programs = static_cast<Roles>(by_workers | by_mail);

const Statement report{"report_ring", by_programs, {"SELECT usershell.report_ring($1, $2, $3)"}};

const Statement select_rings{"list_machine_rings", by_owner, {R"sql(
SELECT machine, replace(program, '_', '-') AS program, ring, fingerprint FROM usershell.machine_rings
WHERE reported_at > now() - interval '1 day' ORDER BY machine, program, ring)sql"}};

} // namespace

void report_rings(Lease& lease, const std::string& machine,
                  const std::vector<crypto::RingSummary>& rings) {
    for (const auto& ring : rings)
        run(lease, report, machine, std::string{crypto::name_of(ring.role)},
            crypto::fingerprint_of(ring));
}

std::vector<MachineRing> list_machine_rings(Lease& lease) {
    return run(lease, select_rings).all([](const Row& row) {
        return MachineRing{row.get<std::string>("machine"), row.get<std::string>("program"),
                           row.get<std::string>("ring"), row.get<std::string>("fingerprint")};
    });
}

} // namespace usershell::store
