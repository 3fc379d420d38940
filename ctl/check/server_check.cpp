// What only PostgreSQL's administrator can see: the server's state, and who its files let in. A
// fault of these shows to everybody else as a failed connection.
#include "base/ascii.hpp"
#include "ctl/check/inspection.hpp"
#include "ctl/init/administrator.hpp"
#include "ctl/init/server_files.hpp"
#include "ctl/system/child.hpp"
#include "store/database/conninfo.hpp"

#include <algorithm>
#include <filesystem>

namespace usershell::ctl {

namespace fs = std::filesystem;

namespace {

/// Sentence and remedy of each fault; a remedy that begins with a word of SQL is run by psql. @ is
/// the database. A line of a file that lets in whom it should not is made a comment.
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
    if (findings.all().empty()) findings.good("The server lets in whom it should.");
}

} // namespace usershell::ctl
