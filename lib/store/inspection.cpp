#include "store/inspection.hpp"

#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement select_limit{"connections_allowed", by_owner, {R"sql(
SELECT sum(CASE name WHEN 'max_connections' THEN setting::int ELSE -setting::int END) AS connections FROM pg_settings
WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections'))sql"}};

const Statement select_urls{"some_base_urls", by_owner, {R"sql(
SELECT DISTINCT base_url FROM usershell.providers WHERE status = 'active' LIMIT 10)sql"}};

} // namespace

long long connections_allowed(Lease& lease) {
    return run(lease, select_limit).front().get<long long>("connections");
}

std::vector<std::string> some_base_urls(Lease& lease) {
    return run(lease, select_urls).all([](const Row& row) {
        return row.get<std::string>("base_url");
    });
}

} // namespace usershell::store
