#include "store/installation.hpp"

#include "base/error.hpp"
#include "store/database/run.hpp"
#include "store/migrations/migrate.hpp"

#include <set>
#include <utility>

namespace usershell::store {

namespace {

const Statement select_installation{
    "installation_id", by_all, {"SELECT id FROM usershell.installation"}};

const Statement select_ring_keys{
    "list_ring_keys", by_all, {"SELECT role, id FROM usershell.ring_keys"}};

const Statement select_time{
    "database_time", by_owner, {"SELECT usershell.microseconds(clock_timestamp()) AS moment"}};

const Statement insert_ring_key{
    "register_ring_key", by_owner, {"INSERT INTO usershell.ring_keys (role, id) VALUES ($1, $2)"}};

const Statement delete_ring_keys{"forget_ring_keys", by_owner, {"DELETE FROM usershell.ring_keys"}};

constexpr auto by_programs = static_cast<Roles>(by_workers | by_mail);

const Statement report{"report_ring", by_programs, {"SELECT usershell.report_ring($1, $2, $3)"}};

const Statement select_rings{"list_machine_rings", by_owner, {R"sql(
SELECT machine, replace(program, '_', '-') AS program, ring, fingerprint FROM usershell.machine_rings
WHERE reported_at > now() - interval '1 day' ORDER BY machine, program, ring)sql"}};

/// Role and id of every registered key.
using Registered = std::set<std::pair<std::string, std::string>>;

Registered registered_in(Rows rows) {
    Registered keys;
    rows.each([&](const Row& row) {
        keys.emplace(row.get<std::string>("role"), row.get<std::string>("id"));
    });
    return keys;
}

Registered keys_of(const std::vector<crypto::RingSummary>& rings) {
    Registered keys;
    for (const auto& ring : rings) {
        for (const auto& id : ring.ids) keys.emplace(crypto::name_of(ring.role), id.text());
    }
    return keys;
}

void require(const crypto::RingSummary& ring, const InstallationId& installation,
             const Registered& registered) {
    const std::string name{crypto::name_of(ring.role)};
    if (ring.installation != installation)
        throw Error{"The " + name + " ring is of the installation " + ring.installation.text() +
                        ", the database of " + installation.text() + ".",
                    Remedy::restore_rings};
    for (const auto& id : ring.ids) {
        if (!registered.contains({name, id.text()}))
            throw Error{"The " + name + " ring holds the key " + id.text() +
                            ", which this installation does not know: it was not made "
                            "for this database by usershellctl ring init.",
                        Remedy::restore_rings};
    }
}

} // namespace

InstallationId installation_id(Lease& lease) {
    return run(lease, select_installation).front().get<InstallationId>("id");
}

Timestamp database_time(Lease& lease) {
    return run(lease, select_time).front().get<Timestamp>("moment");
}

bool register_rings(Lease& lease, const std::vector<crypto::RingSummary>& rings, bool replace) {
    const Registered wanted = keys_of(rings);
    return transact(lease, [&](Transaction& transaction) {
        const Registered present = registered_in(transaction.run(select_ring_keys));
        // When the answer of a first try was lost, they may be those that it registered.
        if (!present.empty() && !replace) return present == wanted;
        if (replace) transaction.run(delete_ring_keys);
        for (const auto& [role, id] : wanted) transaction.run(insert_ring_key, role, id);
        return true;
    });
}

void require_rings(Lease& lease, const std::vector<crypto::RingSummary>& rings) {
    const auto installation = installation_id(lease);
    const auto registered = registered_in(run(lease, select_ring_keys));
    for (const auto& ring : rings) require(ring, installation, registered);
}

void require_store(Database& database, const std::vector<crypto::RingSummary>& rings) {
    require_schema(database);
    Lease lease{database};
    require_rings(lease, rings);
}

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
