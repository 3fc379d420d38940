// The schema: append-only migrations of sql/, NNNN_name.sql, whose checksums are recorded, and
// rights.sql, which revokes all rights and grants its own. Role usershell_owner applies them in one
// transaction, under a lock of the table of migrations. The texts are compiled into the programs.
// Any thread may call; several programs at once take turns.
//
// The store is migrated first, then the machines are upgraded one after another: a program starts
// on a schema with migrations that it does not know as long as none of them names a newer version
// than its own as the oldest that can run on it. A schema older than its own it refuses.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::store {

class Database;

struct Migration {
    std::string_view name;           ///< "0001_installation"
    std::string_view checksum;       ///< SHA-256 of the file, as sha256sum prints it
    std::string_view oldest_program; ///< the oldest version that can run on it: "0.1.0"
    std::string_view text;
};

/// Those of sql/, in order. Generated at build time.
std::span<const Migration> migrations();

/// sql/rights.sql, as migrations().
std::string_view rights();

/// The names of those that are not applied yet, all of them where there is no schema. Throws Error
/// when the database can't be reached, and as migrate() when it has others than ours.
std::vector<std::string> missing_migrations(const std::string& connection);

/// Applies what is missing, then the rights, also when no migration is missing; returns the names
/// of the migrations applied. Throws Error with one sentence when an applied migration's checksum
/// differs from ours, when the store knows one that we don't, and when a script fails. Nothing has
/// changed then. Tests pass others than the program's.
std::vector<std::string> migrate(const std::string& connection,
                                 std::span<const Migration> ours = migrations(),
                                 std::string_view rights = store::rights());

struct AppliedMigration {
    std::string name;
    std::string checksum;
    std::string oldest_program;
};

/// Those of the store, in order. Throws Error when there is no schema or it can't be reached.
std::vector<AppliedMigration> applied_migrations(const std::string& connection);

/// The migrations whose rows are gone although their objects are there.
/// Throws Error when it can't be reached.
std::vector<Migration> forgotten_migrations(const std::string& connection);

/// Throws Error with one sentence saying what to run when the schema is older than this program's,
/// too new for it or of other migrations, or the store can't be reached: for the start of a
/// program.
void require_schema(Database& database);

/// Can programs of that version ("0.1.0", also with a packager's suffix: "0.1.0-1") run on that
/// migration?
bool allows(std::string_view oldest_program, std::string_view version);

} // namespace usershell::store
