#include "store/migrations/migrate.hpp"

#include "base/error.hpp"
#include "store/database/connection.hpp"
#include "store/database/conninfo.hpp"
#include "store/database/database.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

namespace usershell::store {

namespace {

// The view and the table that compare_rights() reads, and how migrate() records what it changes.

/// After the schema is there; changes nothing the second time.
constexpr const char* rights_prologue = R"sql(
CREATE OR REPLACE VIEW usershell.rights_in_force AS
WITH relations AS (
    SELECT c.*, format('usershell.%I', c.relname) AS name
      FROM pg_class c WHERE c.relnamespace = 'usershell'::regnamespace AND c.relkind IN ('r', 'v', 'p', 'S')
), functions AS (
    SELECT p.*, format('usershell.%I(%s)', p.proname, pg_get_function_identity_arguments(p.oid)) AS name
      FROM pg_proc p WHERE p.pronamespace = 'usershell'::regnamespace
), grants AS (
    SELECT format('ON SCHEMA %I', n.nspname) AS what, a.*, n.nspowner AS owner, '' AS part
      FROM pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a WHERE n.nspname = 'usershell'
     UNION ALL
    SELECT 'ON ' || r.name, a.*, r.relowner, ''
      FROM relations r, aclexplode(coalesce(r.relacl, acldefault('r', r.relowner))) a
     UNION ALL
    SELECT 'ON ' || r.name, a.*, r.relowner, format(' (%I)', t.attname)
      FROM relations r JOIN pg_attribute t ON t.attrelid = r.oid, aclexplode(t.attacl) a
     UNION ALL
    SELECT 'ON FUNCTION ' || f.name, a.*, f.proowner, ''
      FROM functions f, aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) a
)
SELECT format('GRANT %s%s %s TO %s', privilege_type, part, what,
              CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END) AS statement
  FROM grants WHERE grantee <> owner
 UNION ALL
SELECT format('ALTER TABLE %s OWNER TO %I', name, pg_get_userbyid(relowner)) FROM relations
 UNION ALL
SELECT format('ALTER FUNCTION %s OWNER TO %I', name, pg_get_userbyid(proowner)) FROM functions
 UNION ALL
SELECT format('ALTER FUNCTION %s SECURITY DEFINER %s', name, 'SET ' || array_to_string(proconfig, ' SET '))
  FROM functions WHERE prosecdef
 UNION ALL
SELECT format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name) FROM relations WHERE relrowsecurity
 UNION ALL
SELECT format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', name) FROM relations WHERE relforcerowsecurity
 UNION ALL
SELECT format('CREATE POLICY %I ON usershell.%I AS %s FOR %s TO %s', policyname, tablename, permissive, cmd,
              array_to_string(roles, ', ')) || coalesce(' USING (' || qual || ')', '')
              || coalesce(' WITH CHECK (' || with_check || ')', '')
  FROM pg_policies WHERE schemaname = 'usershell'
 UNION ALL
SELECT format('ALTER TABLE %s ENABLE TRIGGER %I', r.name, t.tgname)
  FROM relations r JOIN pg_trigger t ON t.tgrelid = r.oid WHERE NOT t.tgisinternal AND t.tgenabled = 'O'
 UNION ALL
SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN relations r ON r.oid = i.indrelid
 WHERE NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid);
CREATE TABLE IF NOT EXISTS usershell.rights (statement text COLLATE "C" PRIMARY KEY);
COMMENT ON TABLE usershell.rights IS 'What migrations and rights.sql have granted and secured; usershellctl check compares it with rights_in_force.';
INSERT INTO usershell.rights SELECT DISTINCT statement FROM usershell.rights_in_force
 WHERE NOT EXISTS (SELECT FROM usershell.rights);
)sql";

/// Before the migrations, and after the rights in the same transaction. Only what they change is
/// recorded: a protection that was switched off by hand before stays a difference.
constexpr const char* before_change = R"sql(
CREATE TEMPORARY TABLE rights_before ON COMMIT DROP AS SELECT DISTINCT statement FROM usershell.rights_in_force;
)sql";
constexpr const char* after_change = R"sql(
DELETE FROM usershell.rights r WHERE r.statement IN (
    SELECT statement FROM rights_before EXCEPT SELECT statement FROM usershell.rights_in_force);
INSERT INTO usershell.rights
SELECT statement FROM usershell.rights_in_force EXCEPT SELECT statement FROM rights_before
ON CONFLICT DO NOTHING;
)sql";

using Applied = std::map<std::string, AppliedMigration, std::less<>>;

const Statement read_migrations{
    "read_migrations", by_all, {"SELECT name, checksum, oldest_program FROM usershell.migrations"}};

const Statement record_migration{
    "record_migration",
    by_owner,
    {"INSERT INTO usershell.migrations (name, checksum, oldest_program) VALUES ($1, $2, $3)"}};

const Statement find_object{"find_object", by_owner, {R"sql(
SELECT EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname = $1)
    OR EXISTS (SELECT FROM pg_proc p WHERE p.pronamespace = n.oid AND p.proname = $1)
    OR EXISTS (SELECT FROM pg_policies p WHERE p.schemaname = n.nspname AND p.policyname = $1) AS is_there
FROM pg_namespace n WHERE n.nspname = 'usershell')sql"}};

// Deferred triggers of rows that a migration writes run at once. PostgreSQL refuses an ALTER TABLE
// while any of them waits.
constexpr const char* prologue = R"sql(
SET CONSTRAINTS ALL IMMEDIATE;
CREATE SCHEMA IF NOT EXISTS usershell;
CREATE TABLE IF NOT EXISTS usershell.migrations (
    name           text COLLATE "C" PRIMARY KEY,
    checksum       text NOT NULL,
    oldest_program text NOT NULL,
    applied_at     timestamptz NOT NULL DEFAULT now()
);
LOCK TABLE usershell.migrations IN EXCLUSIVE MODE;
)sql";

/// By a Connection or a Transaction.
Applied read_applied(auto& database) {
    Applied applied;
    database.run(read_migrations).each([&](const Row& row) {
        auto name = row.get<std::string>("name");
        applied.try_emplace(name, AppliedMigration{name, row.get<std::string>("checksum"),
                                                   row.get<std::string>("oldest_program")});
    });
    return applied;
}

/// Throws when an applied migration has another text than ours. An unknown one is
/// passed to `unknown`.
void refuse_foreign(const Applied& applied, std::span<const Migration> ours,
                    void (*unknown)(const AppliedMigration&)) {
    for (const auto& [name, migration] : applied) {
        const auto found = std::ranges::find(ours, name, &Migration::name);
        if (found == ours.end()) {
            unknown(migration);
        } else if (found->checksum != migration.checksum) {
            throw Error{"The database's migration " + name +
                            " has another text than this program's: install the version "
                            "that made it.",
                        Remedy::other_version};
        }
    }
}

void refuse_unknown(const AppliedMigration& migration) {
    throw Error{"The database has the migration " + migration.name +
                    ", which this program does not know: install the version that made it.",
                Remedy::other_version};
}

/// An unknown migration is after ours when a later version has made it.
void refuse_too_new(const AppliedMigration& migration) {
    if (migration.name < migrations().back().name) refuse_unknown(migration);
    if (allows(migration.oldest_program, USERSHELL_VERSION)) return;
    throw Error{"The database has the migration " + migration.name +
                    ", on which programs from version " + migration.oldest_program +
                    " on can run; this is " USERSHELL_VERSION
                    ". Install that version or a later one.",
                Remedy::other_version};
}

using Numbers = std::array<unsigned, 3>;

/// Of "1.2.3" and whatever follows; zeros for what is not there.
Numbers numbers_of(std::string_view version) {
    Numbers numbers{};
    for (unsigned& number : numbers) {
        const auto [end, error] =
            std::from_chars(version.data(), version.data() + version.size(), number);
        version.remove_prefix(static_cast<std::size_t>(end - version.data()));
        if (error != std::errc{} || !version.starts_with('.')) break;
        version.remove_prefix(1);
    }
    return numbers;
}

std::string hint(const StoreFault& fault) {
    constexpr std::array is_there{"42P07", "42701", "42710", "42723"};
    if (std::ranges::find(is_there, fault.sqlstate()) != is_there.end())
        return " What the migration makes is there: see usershellctl check.";
    if (fault.sqlstate() == "42704")
        return " A role is missing: run usershellctl init, or sql/roles.sql first.";
    if (fault.sqlstate() == "42501") return " It has to run as usershell_owner.";
    return {};
}

/// All in one transaction: a program finds the whole schema with its rights, or what was there.
std::vector<std::string> apply_missing(Connection& connection, std::span<const Migration> ours,
                                       std::string_view rights) {
    Transaction transaction{connection, false};
    transaction.script("prologue", prologue);
    transaction.script("prologue", rights_prologue);
    const Applied applied = read_applied(transaction);
    refuse_foreign(applied, ours, refuse_unknown);
    transaction.script("rights", before_change);
    std::vector<std::string> names;
    for (const Migration& migration : ours) {
        if (applied.contains(migration.name)) continue;
        transaction.script(migration.name, std::string{migration.text});
        transaction.run(record_migration, std::string{migration.name},
                        std::string{migration.checksum}, std::string{migration.oldest_program});
        names.emplace_back(migration.name);
    }
    transaction.script("rights", std::string{rights});
    transaction.script("rights", after_change);
    transaction.commit();
    return names;
}

// Two operators may migrate at the same time. They take turns by a lock of the table of migrations,
// which no role but its owner may lock against this one. It can't be locked before it is there: of
// two that make it, one fails and tries again.
std::vector<std::string> apply_in_turn(Connection& connection, std::span<const Migration> ours,
                                       std::string_view rights) {
    try {
        return apply_missing(connection, ours, rights);
    } catch (const StoreFault& fault) {
        if (fault.sqlstate() != "23505") throw;
        return apply_missing(connection, ours, rights);
    }
}

} // namespace

std::vector<std::string> migrate(const std::string& connection, std::span<const Migration> ours,
                                 std::string_view rights) {
    try {
        Connection link{for_operations(connection), nullptr, Audience::an_operator};
        return apply_in_turn(link, ours, rights);
    } catch (const StoreFault& fault) {
        throw Error{fault.with_words() + "." + hint(fault), fault.remedy()};
    }
}

namespace {

/// `read()`, its faults as sentences.
template <class Read>
Applied require_applied(Read read) {
    try {
        return read();
    } catch (const StoreFault& fault) {
        if (fault.is_connection_lost()) throw Error{fault.with_words() + ".", fault.remedy()};
        throw Error{"The database has no schema yet. Run: usershellctl migrate", Remedy::migrate};
    }
}

} // namespace

std::vector<AppliedMigration> applied_migrations(const std::string& connection) {
    const Applied applied = require_applied([&] {
        Connection link{for_operations(connection), nullptr, Audience::an_operator};
        return read_applied(link);
    });
    std::vector<AppliedMigration> all;
    for (const auto& [name, migration] : applied) all.push_back(migration);
    return all;
}

std::vector<std::string> missing_migrations(const std::string& connection) {
    Applied applied;
    try {
        Connection link{for_operations(connection), nullptr, Audience::an_operator};
        applied = read_applied(link);
    } catch (const StoreFault& fault) {
        if (fault.is_connection_lost()) throw Error{fault.with_words() + ".", fault.remedy()};
    }
    refuse_foreign(applied, migrations(), refuse_unknown);
    std::vector<std::string> names;
    for (const Migration& migration : migrations())
        if (!applied.contains(migration.name)) names.emplace_back(migration.name);
    return names;
}

namespace {

/// Of what a migration makes, the first of a kind; empty: none.
std::string object_in(std::string_view text) {
    for (const std::string_view made :
         {"\nCREATE TABLE usershell.", "\nCREATE FUNCTION usershell.", "\nCREATE POLICY "}) {
        const auto at = text.find(made);
        if (at == std::string_view::npos) continue;
        text.remove_prefix(at + made.size());
        return std::string{text.substr(0, text.find_first_of(" ("))};
    }
    return {};
}

} // namespace

std::vector<Migration> forgotten_migrations(const std::string& connection) {
    try {
        Connection link{for_operations(connection), nullptr, Audience::an_operator};
        const Applied applied = read_applied(link);
        std::vector<Migration> forgotten;
        for (const Migration& migration : migrations())
            if (!applied.contains(migration.name) &&
                link.run(find_object, object_in(migration.text)).front().get<bool>("is_there"))
                forgotten.push_back(migration);
        return forgotten;
    } catch (const StoreFault& fault) {
        if (fault.is_connection_lost()) throw Error{fault.with_words() + ".", fault.remedy()};
        return {}; // there is no schema
    }
}

bool allows(std::string_view oldest_program, std::string_view version) {
    return numbers_of(version) >= numbers_of(oldest_program);
}

void require_schema(Database& database) {
    Lease lease{database};
    const Applied applied = require_applied([&] { return read_applied(lease.connection()); });
    if (!lease.connection().is_direct())
        throw Error{"The database is reached through a connection pooler, which mixes the sessions "
                    "of users: name PostgreSQL's own address.",
                    Remedy::no_pooler};
    refuse_foreign(applied, migrations(), refuse_too_new);
    for (const Migration& migration : migrations())
        if (!applied.contains(migration.name))
            throw Error{"The database lacks the migration " + std::string{migration.name} +
                            ". Run: usershellctl migrate",
                        Remedy::migrate};
}

} // namespace usershell::store
