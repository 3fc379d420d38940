#include "store/database/migrate.hpp"

#include "store/database/connection.hpp"
#include "store/database/conninfo.hpp"
#include "store/database/schema.hpp"
#include "store/database/statements.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

namespace usershell::store {

namespace {

/// Checksums by name.
using Applied = std::map<std::string, std::string, std::less<>>;

constexpr Statement take_turns{
    "take_turns",
    by_owner,
    {"SELECT pg_advisory_lock(hashtextextended('usershell migrations', 0))"}};

constexpr Statement read_migrations{
    "read_migrations", by_all, {"SELECT name, checksum FROM usershell.migrations"}};

constexpr Statement record_migration{
    "record_migration",
    by_owner,
    {"INSERT INTO usershell.migrations (name, checksum) VALUES ($1, $2)"}};

constexpr const char* prologue = R"sql(
CREATE SCHEMA IF NOT EXISTS usershell;
CREATE TABLE IF NOT EXISTS usershell.migrations (
    name       text PRIMARY KEY,
    checksum   text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);
GRANT USAGE ON SCHEMA usershell TO usershell_manage, usershell_execute;
GRANT SELECT ON usershell.migrations TO usershell_manage, usershell_execute;
)sql";

Applied read_applied(Connection& connection) {
    Applied applied;
    for (const pqxx::row& row : connection.run(read_migrations)) {
        applied.emplace(row[0].as<std::string>(), row[1].as<std::string>());
    }
    return applied;
}

/// The first that is missing in the store; nullptr: none.
const Migration* first_missing(const Applied& applied, std::span<const Migration> ours) {
    const auto found = std::find_if(ours.begin(), ours.end(), [&](const Migration& migration) {
        return !applied.contains(migration.name);
    });
    return found == ours.end() ? nullptr : &*found;
}

/// Applied migrations that we don't know, or know with another text, are not ours to go on from.
void refuse_foreign(const Applied& applied, std::span<const Migration> ours) {
    for (const auto& known : applied) {
        const std::string& name = known.first;
        const auto same_name = [&](const Migration& migration) { return migration.name == name; };
        const auto found = std::find_if(ours.begin(), ours.end(), same_name);
        if (found == ours.end()) {
            throw std::runtime_error{"The database has the migration " + name +
                                     ", which this program does not know: install the version that "
                                     "made it."};
        }
        if (found->checksum != known.second) {
            throw std::runtime_error{"The database's migration " + name +
                                     " has another text than this program's: install the version "
                                     "that made it."};
        }
    }
}

std::string hint(const StoreFault& fault) {
    if (fault.sqlstate() == "42704") return " A role is missing: run sql/roles.sql first.";
    if (fault.sqlstate() == "42501") return " It has to run as usershell_owner.";
    return {};
}

void apply(Connection& connection, const Migration& migration) {
    Transaction transaction{connection, false};
    transaction.script(migration.name, std::string{migration.text});
    transaction.run(record_migration, std::string{migration.name}, std::string{migration.checksum});
    transaction.commit();
}

std::vector<std::string> apply_missing(Connection& connection, std::span<const Migration> ours) {
    connection.run(take_turns); // until the connection closes
    Transaction beginning{connection, false};
    beginning.script("prologue", prologue);
    beginning.commit();

    const Applied applied = read_applied(connection);
    refuse_foreign(applied, ours);
    std::vector<std::string> names;
    for (const Migration& migration : ours) {
        if (applied.contains(migration.name)) continue;
        apply(connection, migration);
        names.emplace_back(migration.name);
    }
    return names;
}

} // namespace

StatementList migration_statements() {
    static constexpr std::array list{&take_turns, &read_migrations, &record_migration};
    return list;
}

std::vector<std::string> migrate(const std::string& connection) {
    return migrate(connection, migrations());
}

std::vector<std::string> migrate(const std::string& connection, std::span<const Migration> ours) {
    try {
        Connection link{for_operations(connection)};
        return apply_missing(link, ours);
    } catch (const StoreFault& fault) {
        throw std::runtime_error{std::string{fault.what()} + "." + hint(fault)};
    }
}

void check_schema(Lease& lease) {
    Applied applied;
    try {
        applied = read_applied(lease.connection());
    } catch (const StoreFault& fault) {
        if (fault.connection_gone()) throw std::runtime_error{std::string{fault.what()} + "."};
        throw std::runtime_error{"The database has no schema yet. Run: usershellctl migrate"};
    }
    refuse_foreign(applied, migrations());
    if (const Migration* missing = first_missing(applied, migrations())) {
        throw std::runtime_error{"The database lacks the migration " + std::string{missing->name} +
                                 ". Run: usershellctl migrate"};
    }
}

} // namespace usershell::store
