#include "base/ascii.hpp"
#include "crypto/ring/files.hpp"
#include "ctl/check/inspection.hpp"
#include "ctl/init/administrator.hpp"
#include "ctl/init/server_files.hpp"
#include "ctl/system/child.hpp"
#include "store/database/conninfo.hpp"
#include "store/installation.hpp"
#include "store/migrations/migrate.hpp"
#include "store/rings.hpp"
#include "store/users/user_admin.hpp"

#include <algorithm>
#include <filesystem>

#include <sys/stat.h>

namespace usershell::ctl {

namespace {

/// The statement that takes back what another one gives.
std::string undoing(const std::string& statement) {
    const std::string_view grant = "GRANT ";
    const auto to = statement.rfind(" TO ");
    if (statement.starts_with(grant) && to != std::string::npos)
        return "REVOKE " + statement.substr(grant.size(), to - grant.size()) + " FROM " +
               statement.substr(to + 4);
    const std::string_view policy = "CREATE POLICY ";
    if (statement.starts_with(policy))
        return "DROP POLICY " +
               statement.substr(policy.size(), statement.find(" AS ") - policy.size());
    std::string other = statement;
    if (const auto at = other.find(" ENABLE TRIGGER "); at != std::string::npos)
        return other.replace(at, 8, " DISABLE ");
    return "-- undo: " + statement;
}

/// Keys of ours have the order "C" (a store test holds the schema to it), so that no row is lost
/// or made twice until then.
void check_collations(store::Lease& store, const std::string& database, Findings& findings) {
    for (const auto& statement : store::stale_collation_versions(store))
        findings.fault("The server's order of letters is another than when the database was made.",
                       as_administrator(database, statement));
}

/// Roles that a line lets in by TCP before one rejects them at every address. A certificate is
/// given by the operator. Lines may stand in several files: the view has them in their order.
constexpr const char* roles_let_in = R"sql(
WITH lines AS (SELECT *, row_number() OVER () AS place FROM pg_hba_file_rules)
SELECT r.rolname FROM lines l JOIN pg_roles r ON r.rolname LIKE 'usershell\_%' AND EXISTS (
    SELECT FROM unnest(l.user_name) AS u (name)
     WHERE u.name IN ('all', r.rolname, '+' || r.rolname) OR (u.name LIKE '/%' AND r.rolname ~ substr(u.name, 2)))
 WHERE l.type LIKE 'host%'
 GROUP BY r.rolname
HAVING min(l.place) FILTER (WHERE l.auth_method NOT IN ('reject', 'cert') AND l.database <> ARRAY['replication'])
     < coalesce(min(l.place) FILTER (WHERE l.type = 'host' AND l.auth_method = 'reject' AND l.address = 'all'
                                       AND 'all' = ANY (l.database)), float8 'infinity')
 ORDER BY 1)sql";

/// Only a superuser sees these lines. Without one on this machine there is no finding.
void check_access(const Inspection& inspection, Findings& findings) {
    if (!is_local(inspection.settings.database)) return;
    std::vector<std::string> roles;
    try {
        roles = Administrator{inspection.settings, {}}.ask(roles_let_in);
    } catch (const Error&) {
        return;
    }
    for (const auto& role : roles)
        findings.fault("pg_hba.conf lets the role " + role + " in by TCP.",
                       words_for(Remedy::write_access_lines, {}));
}

/// Each program against the limit of its role.
void check_limit(Program program, long long wanted, const std::map<std::string, long long>& limits,
                 Findings& findings) {
    std::string role{name_of(program)};
    std::ranges::replace(role, '-', '_');
    const auto limit = limits.find(role);
    if (limit == limits.end() || wanted <= limit->second) return;
    findings.fault("The role " + role + " may have " + std::to_string(limit->second) +
                       " connections, and its processes may open " + std::to_string(wanted) + ".",
                   "Raise max_connections in postgresql.conf, then systemctl restart postgresql "
                   "and usershellctl init; or lower database-connections.");
}

/// False: there is none.
bool add_forgotten(const Inspection& inspection, Findings& findings) {
    const auto forgotten = store::forgotten_migrations(owner_connection(inspection.settings));
    for (const auto& migration : forgotten) {
        std::string row =
            "INSERT INTO usershell.migrations (name, checksum, oldest_program) VALUES (";
        for (const auto value : {migration.name, migration.checksum, migration.oldest_program})
            row += (row.back() == '(' ? "'" : ", '") + std::string{value} + "'";
        findings.fault(
            "The database has what the migration " + std::string{migration.name} +
                " makes, and does not know it.",
            as_administrator(store::keyword(inspection.settings.database, "dbname"), row + ")"));
    }
    return !forgotten.empty();
}

} // namespace

void check_database(Inspection& inspection, Findings& findings) {
    try {
        inspection.store.emplace(inspection.settings);
    } catch (const Error& error) {
        if (inspection.broken.contains("server"))
            findings.skip("The database is not reached", "mend server first");
        else if (error.remedy() != Remedy::migrate || !add_forgotten(inspection, findings))
            findings.fault(error.what(), words_for(error.remedy(), "usershellctl init"));
        findings.hide_what_follows();
        return;
    }
    store::Lease& store = *inspection.store;
    const std::string database = store::keyword(inspection.settings.database, "dbname");
    findings.good("The database answers and has this version's schema.");
    const auto roles = store::faults_of_roles(store);
    for (const auto& fault : roles) findings.fault(fault, words_for(Remedy::init, {}));
    check_access(inspection, findings);
    check_collations(store, database, findings);
    const auto rights = store::compare_rights(store);
    for (const auto& statement : rights.missing)
        findings.fault("A right or a protection is missing in the database.",
                       as_administrator(database, statement));
    for (const auto& statement : rights.foreign)
        findings.fault("The database grants what nothing of ours has granted: " + statement,
                       as_administrator(database, undoing(statement)));
    if (roles.empty() && rights.missing.empty() && rights.foreign.empty())
        findings.good("Roles, grants and row-level security are those of the schema.");
}

void check_people(Inspection& inspection, Findings& findings) {
    const auto people = store::list_users(*inspection.store);
    const auto able = std::ranges::count_if(
        people, [](const store::UserSummary& user) { return user.has_password && !user.disabled; });
    findings.check(able != 0, std::to_string(able) + " people can sign in.", "Nobody can sign in.",
                   "Run usershellctl user add EMAIL --name NAME.");
    const Settings* const auth = inspection.settings_of(Program::auth);
    if (auth == nullptr) return;
    const int stray =
        store::stray_passkeys(*inspection.store, std::string{host_name_of(auth->base_url)});
    if (stray > 0)
        findings.fault(std::to_string(stray) + " passkeys are for another host than base-url has.",
                       "Set base-url back, or have their owners make new ones.");
}

void check_connections(Inspection& inspection, Findings& findings) {
    constexpr long long others = 3; // usershell-mail and usershellctl
    const auto limits = store::connection_limits(*inspection.store);
    long long wanted = others;
    for (const Program program : servers) {
        const auto running = std::ranges::count_if(inspection.units, [program](const auto& entry) {
            return entry.first.starts_with(std::string{name_of(program)} + "@") &&
                   entry.second.is_active();
        });
        const Settings* const settings = inspection.settings_of(program);
        if (settings == nullptr) continue;
        const long long of_program =
            std::max<long long>(running, 1) * settings->database_connections;
        check_limit(program, of_program, limits, findings);
        wanted += of_program;
    }
    const auto allowed = store::connections_allowed(*inspection.store);
    const std::string numbers = "PostgreSQL has " + std::to_string(allowed) +
                                " connections that nobody else uses, and the programs may open " +
                                std::to_string(wanted) + ".";
    findings.check(wanted <= allowed, numbers, numbers,
                   "Raise max_connections in postgresql.conf, then systemctl restart postgresql "
                   "and usershellctl init; or lower database-connections.");
}

// Facts that PostgreSQL's administrator alone sees: the server's state, and whose logins its files
// permit. A fault of these shows to everybody else as a failed connection.

namespace {

/// A secret is its owner's alone, and the programs read the public file as users of their own.
void check_modes(crypto::RingRole role, const std::string& folder, Findings& findings) {
    for (const bool secret : {true, false}) {
        const std::string file = folder + "/" + crypto::ring_file_name(role, secret);
        struct stat status {};
        if (stat(file.c_str(), &status) != 0) continue;
        if (secret && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
            findings.fault("Others than its owner may use " + file + ".", "chmod 600 " + file);
        if (!secret && (status.st_mode & S_IROTH) == 0)
            findings.fault(file + " is not readable by the programs that need it.",
                           "chmod 644 " + file);
    }
}

/// Adds the ring to `whole` if its files are good; every fault is a finding.
void check_one(crypto::RingRole role, const Inspection& inspection, Findings& findings,
               std::vector<crypto::RingSummary>& whole) {
    const std::string name{crypto::name_of(role)};
    const std::string& folder = inspection.settings.rings;
    check_modes(role, folder, findings);
    try {
        const crypto::RingFiles files{role, folder};
        const auto difference = files.difference();
        findings.check(difference.empty(), "The " + name + " ring is whole.", difference,
                       "usershellctl ring activate " + name +
                           " KEY writes both anew (KEY: usershellctl "
                           "ring list); or put both files back from your copy.");
        if (difference.empty()) whole.push_back(files.summary());
    } catch (const crypto::RingError& error) {
        findings.fault(error.what(), words_for(error.remedy(), {}, {.rings = folder}));
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

namespace fs = std::filesystem;

namespace {

/// Sentence and remedy of each fault; a remedy that begins with a word of SQL is run by psql. @ is
/// the database. A line that permits a wrong login becomes a comment.
constexpr const char* facts = R"sql(
WITH hba AS (
    SELECT *, row_number() OVER () AS place, coalesce(to_jsonb(l) ->> 'file_name', current_setting('hba_file')) AS file
      FROM pg_hba_file_rules l),
ident AS (
    SELECT *, coalesce(to_jsonb(l) ->> 'file_name', current_setting('ident_file')) AS file FROM pg_ident_file_mappings l),
roles AS (
    SELECT rolname AS name FROM pg_roles WHERE rolname LIKE 'usershell\_%'),
-- The first line that a role meets at the socket.
met AS (
    SELECT DISTINCT ON (r.name) r.name, h.* FROM roles r JOIN hba h
        ON h.type = 'local' AND h.error IS NULL
       AND ('all' = ANY (h.database) OR '@' = ANY (h.database) OR ('sameuser' = ANY (h.database) AND r.name = '@'))
       AND EXISTS (SELECT FROM unnest(h.user_name) AS u (name) WHERE u.name IN ('all', r.name, '+' || r.name)
                                                           OR (u.name LIKE '/%' AND r.name ~ substr(u.name, 2)))
     ORDER BY r.name, h.place),
bad_lines AS (
    SELECT file, line_number, 'PostgreSQL can''t use this line: ' || error AS why FROM hba WHERE error IS NOT NULL
     UNION ALL
    SELECT file, line_number, 'PostgreSQL can''t use this line: ' || error FROM ident WHERE error IS NOT NULL
     UNION ALL
    SELECT file, line_number, 'The system''s user ' || sys_name || ' may connect as ' || pg_username FROM ident
     WHERE map_name = 'usershell' AND error IS NULL AND (sys_name, pg_username) NOT IN (PEERS)
     UNION ALL
    SELECT file, line_number, 'The role ' || min(name) || ' is let in at the socket by ' || auth_method FROM met
     WHERE EXISTS (SELECT FROM ident WHERE map_name = 'usershell') AND auth_method <> 'reject'
       AND (auth_method <> 'peer' OR NOT coalesce('map=usershell' = ANY (options), false))
     GROUP BY file, line_number, auth_method),
states AS (
    SELECT d.*, (SELECT s.setconfig FROM pg_db_role_setting s WHERE s.setdatabase = d.oid AND s.setrole = 0) AS own
      FROM (SELECT '@' AS name) AS w LEFT JOIN pg_database d ON d.datname = w.name)
SELECT why || ' (' || file || ', line ' || min(line_number) || ').',
       'sed -i ''' || min(line_number) || 's/^/# /'' ' || file || ' && systemctl reload postgresql'
  FROM bad_lines GROUP BY file, line_number, why
 UNION ALL
SELECT 'The system''s user ' || p.sys_name || ' may not connect as ' || p.role || '.', 'usershellctl init'
  FROM (VALUES PEERS) AS p (sys_name, role)
 WHERE EXISTS (SELECT FROM ident WHERE map_name = 'usershell')
   AND NOT EXISTS (SELECT FROM ident i WHERE i.map_name = 'usershell' AND (i.sys_name, i.pg_username) = (p.sys_name, p.role))
   AND NOT EXISTS (SELECT FROM ident WHERE error IS NOT NULL)
 UNION ALL
SELECT f.sentence, f.remedy FROM states d CROSS JOIN LATERAL (VALUES
    (pg_is_in_recovery() AND current_setting('primary_conninfo') = '', 'PostgreSQL is in recovery and has no primary.',
     'SELECT pg_promote()'),
    (pg_is_in_recovery() AND current_setting('primary_conninfo') <> '', 'This PostgreSQL is a standby, which only reads.',
     'editor /etc/usershell/*.conf: name the primary in the setting database'),
    (d.oid IS NOT NULL AND NOT d.datallowconn, 'The database @ allows no connections.',
     'ALTER DATABASE "@" ALLOW_CONNECTIONS true'),
    (d.datconnlimit >= 0, 'The database @ has a limit of ' || d.datconnlimit || ' connections.',
     'ALTER DATABASE "@" CONNECTION LIMIT -1'),
    (d.own::text ~ 'read_only=(on|true|yes|1)', 'The database @ is set to be read only.',
     'ALTER DATABASE "@" RESET default_transaction_read_only'),
    (current_setting('default_transaction_read_only') = 'on', 'The server is set to be read only.',
     'ALTER SYSTEM SET default_transaction_read_only = off; SELECT pg_reload_conf()'))
       AS f (is_so, sentence, remedy)
 WHERE f.is_so)sql";

std::string replaced(std::string text, std::string_view what, std::string_view with) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

std::string facts_of(const std::string& database) {
    std::string peers;
    for (const auto& [user, role] : peer_rows)
        peers +=
            (peers.empty() ? "('" : ", ('") + std::string{user} + "', '" + std::string{role} + "')";
    return replaced(replaced(facts, "PEERS", peers), "@", database);
}

/// Sockets of PostgreSQL in the folder where ours should be: the ports.
std::vector<std::string> ports_in(const fs::path& folder) {
    constexpr std::string_view begin = ".s.PGSQL.";
    std::vector<std::string> ports;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator{folder, error}) {
        const std::string name = entry.path().filename();
        if (name.starts_with(begin) && fs::is_socket(entry.path()))
            ports.push_back(name.substr(begin.size()));
    }
    return ports;
}

/// When there is no answer: is the server somewhere else, does it hang, or is it down?
bool is_there(const Inspection& inspection, Findings& findings) {
    const auto word = [&](const char* name, const char* usual) {
        const auto value = store::keyword(inspection.settings.database, name);
        return value.empty() ? std::string{usual} : value;
    };
    const std::string folder = word("host", "/var/run/postgresql"), port = word("port", "5432");
    const auto asked = run_child({{"pg_isready", "-t", "3", "-h", folder, "-p", port}, {}, {}});
    constexpr int starting = 1, no_answer = 2;
    if (asked.status == starting)
        findings.fault("PostgreSQL is starting or stopping.", "journalctl -n 50 -u 'postgresql@*'");
    if (asked.status != no_answer) return asked.status != starting;
    const auto ports = ports_in(folder);
    if (std::ranges::find(ports, port) != ports.end())
        findings.fault(
            "PostgreSQL does not answer at its socket.",
            "systemctl kill --signal=CONT 'postgresql@*'; systemctl restart 'postgresql@*'");
    else if (!ports.empty())
        findings.fault(
            "PostgreSQL listens at port " + ports.front() + ", not " + port + ".",
            "sed -i 's/^port *=.*/port = " + port +
                "/' /etc/postgresql/*/main/postgresql.conf && systemctl restart postgresql");
    else
        findings.fault("PostgreSQL does not run: there is no socket in " + folder + ".",
                       "systemctl restart postgresql; journalctl -n 50 -u 'postgresql@*'");
    return false;
}

} // namespace

std::string as_administrator(const std::string& database, const std::string& sql) {
    std::string command = "cd /; runuser -u postgres -- psql -d " + database;
    // Each in a transaction of its own.
    for_each_piece(replaced(sql, "; ", "\n"), '\n', [&](std::string_view statement) {
        command += " -c '" + replaced(std::string{statement}, "'", "'\\''") + "'";
    });
    return command;
}

void check_server(Inspection& inspection, Findings& findings) {
    const std::string& connection = inspection.settings.database;
    const std::string database = store::keyword(connection, "dbname");
    if (!is_local(connection) || database.find_first_of("@'\"") != std::string::npos) {
        findings.skip("The server's own files", "it is on another machine");
        return;
    }
    if (!is_there(inspection, findings)) return findings.hide_what_follows();
    const Administrator administrator{inspection.settings, {}};
    std::vector<std::string> rows;
    try {
        rows = administrator.ask(facts_of(database));
    } catch (const Error& error) {
        findings.skip("The server's own files", error.what());
        return;
    }
    for (const std::string& row : rows) {
        const auto bar = row.find('|');
        const std::string sentence = row.substr(0, bar), remedy = row.substr(bar + 1);
        const bool is_sql = remedy.starts_with("ALTER ") || remedy.starts_with("SELECT ");
        findings.fault(sentence, is_sql ? as_administrator("postgres", remedy) : remedy);
    }
    if (!findings.all().empty()) inspection.broken.insert("server");
    if (findings.all().empty()) findings.good("The server permits the right logins.");
}

} // namespace usershell::ctl
