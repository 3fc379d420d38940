#include "store/inspection.hpp"

#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement select_limit{"connections_allowed", by_owner, {R"sql(
SELECT sum(CASE name WHEN 'max_connections' THEN setting::int ELSE -setting::int END) AS connections FROM pg_settings
WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections'))sql"}};

const Statement select_urls{"some_base_urls", by_owner, {R"sql(
SELECT DISTINCT base_url FROM usershell.providers WHERE status = 'active' LIMIT 10)sql"}};

const Statement missing_rights{"missing_rights", by_owner, {R"sql(
SELECT statement FROM usershell.rights EXCEPT SELECT statement FROM usershell.rights_in_force ORDER BY 1)sql"}};

const Statement foreign_rights{"foreign_rights", by_owner, {R"sql(
SELECT statement FROM usershell.rights_in_force EXCEPT SELECT statement FROM usershell.rights ORDER BY 1)sql"}};

// Of passwords only a superuser can ask.
const Statement role_faults{"role_faults", by_owner, {R"sql(
SELECT wanted.name, r.oid IS NOT NULL AS is_there,
       coalesce(r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication, false) AS is_mighty,
       coalesce(NOT r.rolcanlogin, false) AS is_barred,
       EXISTS (SELECT FROM pg_auth_members m WHERE m.member = r.oid) AS is_member
FROM (VALUES ('usershell_owner'), ('usershell_auth'), ('usershell_manage'), ('usershell_execute'),
             ('usershell_mail'), ('usershell_rewrap')) AS wanted (name)
LEFT JOIN pg_roles r ON r.rolname = wanted.name ORDER BY wanted.name)sql"}};

std::vector<std::string> statements_in(Rows rows) {
    return rows.all([](const Row& row) { return row.get<std::string>("statement"); });
}

std::string fault_of(const Row& row) {
    const std::string name = "The role " + row.get<std::string>("name");
    if (!row.get<bool>("is_there")) return name + " is missing.";
    if (row.get<bool>("is_mighty")) return name + " may do more than connect.";
    if (row.get<bool>("is_barred")) return name + " may not log in.";
    if (row.get<bool>("is_member")) return name + " is a member of another role.";
    return {};
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
        if (auto fault = fault_of(row); !fault.empty()) faults.push_back(std::move(fault));
    });
    return faults;
}

} // namespace usershell::store
