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

constexpr auto by_ring_holders = static_cast<Roles>(by_pages | by_opener | by_mail);

const Statement report{
    "report_ring", by_ring_holders, {"SELECT usershell.report_ring($1, $2, $3)"}};

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

namespace {

const Statement select_limit{"connections_allowed", by_owner, {R"sql(
SELECT sum(CASE name WHEN 'max_connections' THEN setting::int ELSE -setting::int END)
       - (SELECT count(*) FROM pg_stat_activity a WHERE a.datid IS NOT NULL AND a.usename NOT LIKE 'usershell\_%') AS connections
FROM pg_settings WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections'))sql"}};

const Statement select_urls{"some_base_urls", by_owner, {R"sql(
SELECT DISTINCT base_url FROM usershell.providers WHERE status = 'active' LIMIT 10)sql"}};

const Statement missing_rights{"missing_rights", by_owner, {R"sql(
SELECT statement FROM usershell.rights EXCEPT SELECT statement FROM usershell.rights_in_force ORDER BY 1)sql"}};

// An operator may have an index of their own.
const Statement foreign_rights{"foreign_rights", by_owner, {R"sql(
SELECT statement FROM usershell.rights_in_force WHERE statement NOT LIKE 'CREATE %INDEX %' EXCEPT SELECT statement FROM usershell.rights ORDER BY 1)sql"}};

// Of passwords only a superuser can ask. None counts while VALID UNTIL is past, which a role can't
// lift.
const Statement role_faults{"role_faults", by_owner, {R"sql(
SELECT 'The role ' || w.name || ' ' || f.words || '.' AS sentence, coalesce(f.is_so, false) AS is_so
FROM (VALUES ('usershell_owner'), ('usershell_auth'), ('usershell_manage'), ('usershell_execute'),
             ('usershell_opener'), ('usershell_mail'), ('usershell_rewrap')) AS w (name)
LEFT JOIN pg_roles r ON r.rolname = w.name
CROSS JOIN LATERAL (VALUES
    ('is missing', r.oid IS NULL),
    ('may do more than connect', r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication),
    ('may not log in', NOT r.rolcanlogin),
    ('may log in with a password', r.rolvaliduntil IS DISTINCT FROM '-infinity' AND r.oid IS NOT NULL),
    ('may take all connections', r.rolconnlimit NOT BETWEEN 0 AND current_setting('max_connections')::integer / 2),
    ('is a member of another role', EXISTS (SELECT FROM pg_auth_members m WHERE m.member = r.oid)),
    ('has settings of its own', EXISTS (
        SELECT FROM pg_db_role_setting s WHERE s.setrole = r.oid
           AND (w.name = 'usershell_owner' OR s.setdatabase <> 0 OR s.setconfig <> ARRAY['temp_file_limit=64MB']))),
    ('may fill the disk with temporary files', r.oid IS NOT NULL AND w.name <> 'usershell_owner' AND NOT EXISTS (
        SELECT FROM pg_db_role_setting s WHERE s.setrole = r.oid AND s.setdatabase = 0 AND 'temp_file_limit=64MB' = ANY (s.setconfig))),
    ('has large objects', EXISTS (SELECT FROM pg_largeobject_metadata o WHERE o.lomowner = r.oid)),
    ('has prepared transactions', EXISTS (SELECT FROM pg_prepared_xacts x WHERE x.owner = w.name))) AS f (words, is_so)
 UNION ALL
SELECT 'Roles may call functions of ' || f.what || '.', EXISTS (
    SELECT FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname ~ f.names
       AND has_function_privilege('public', p.oid, 'EXECUTE'))
FROM (VALUES ('large objects', '^(lo_|loread$|lowrite$)'), ('locks by number', '^pg_(try_)?advisory_'),
             ('notifications', '^pg_notify$'),
             ('messages in the log', '^pg_logical_emit_message$')) AS f (what, names)
 UNION ALL
SELECT 'Functions are leakproof: usershell_manage can guess values of other persons'' rows.',
       EXISTS (SELECT FROM pg_proc WHERE proleakproof)
 UNION ALL
SELECT 'Row-level security is switched off for the whole database.', true
FROM pg_db_role_setting s JOIN pg_database d ON s.setdatabase IN (0, d.oid)
WHERE d.datname = current_database() AND s.setrole = 0
  AND EXISTS (SELECT FROM unnest(s.setconfig) c WHERE c ~* '^row_security=(off|false|no|0|f)')
ORDER BY 1)sql"}};

const Statement select_limits{"connection_limits", by_owner, {R"sql(
SELECT rolname AS name, rolconnlimit AS most FROM pg_roles WHERE rolname LIKE 'usershell\_%' AND rolconnlimit >= 0)sql"}};

const Statement stale_collations{"stale_collations", by_owner, {R"sql(
SELECT 'REINDEX DATABASE CONCURRENTLY ' || quote_ident(datname) || '; ALTER DATABASE ' || quote_ident(datname)
       || ' REFRESH COLLATION VERSION' AS statement,
       coalesce(datcollversion <> pg_database_collation_actual_version(oid), false) AS is_stale
FROM pg_database WHERE datname = current_database()
 UNION
SELECT 'REINDEX TABLE CONCURRENTLY ' || r.oid::regclass || '; ALTER COLLATION ' || c.oid::regcollation || ' REFRESH VERSION', true
FROM pg_index i JOIN pg_class r ON r.oid = i.indrelid, unnest(i.indcollation) AS used (oid) JOIN pg_collation c USING (oid)
WHERE r.relnamespace = 'usershell'::regnamespace AND c.collversion <> pg_collation_actual_version(c.oid)
ORDER BY 1)sql"}};

std::vector<std::string> statements_in(Rows rows) {
    return rows.all([](const Row& row) { return row.get<std::string>("statement"); });
}

} // namespace

long long connections_allowed(Lease& lease) {
    return run(lease, select_limit).front().get<long long>("connections");
}

std::vector<std::string> some_base_urls(Lease& lease) {
    return run(lease, select_urls).all([](const Row& row) {
        return row.get<std::string>("base_url");
    });
}

RightsDifference compare_rights(Lease& lease) {
    return {statements_in(run(lease, missing_rights)), statements_in(run(lease, foreign_rights))};
}

std::vector<std::string> faults_of_roles(Lease& lease) {
    std::vector<std::string> faults;
    run(lease, role_faults).each([&faults](const Row& row) {
        if (row.get<bool>("is_so")) faults.push_back(row.get<std::string>("sentence"));
    });
    return faults;
}

std::map<std::string, long long> connection_limits(Lease& lease) {
    std::map<std::string, long long> limits;
    run(lease, select_limits).each([&limits](const Row& row) {
        limits.emplace(row.get<std::string>("name"), row.get<long long>("most"));
    });
    return limits;
}

std::vector<std::string> stale_collation_versions(Lease& lease) {
    std::vector<std::string> statements;
    run(lease, stale_collations).each([&statements](const Row& row) {
        if (row.get<bool>("is_stale")) statements.push_back(row.get<std::string>("statement"));
    });
    return statements;
}

} // namespace usershell::store
