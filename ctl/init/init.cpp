#include "base/error.hpp"
#include "crypto/token.hpp"
#include "ctl/command.hpp"
#include "ctl/init/administrator.hpp"
#include "ctl/init/server_files.hpp"
#include "ctl/rings/rings.hpp"
#include "ctl/terminal.hpp"
#include "domain/email.hpp"
#include "store/database/conninfo.hpp"
#include "store/migrations/migrate.hpp"

#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace usershell::ctl {

namespace {

// First all steps that are needed are found and printed, then they are run. A step whose work is
// done already is left out.

/// The first user, if the operator wants one to be added.
struct FirstUser {
    EmailAddress email;
    std::string name;
};

struct Step {
    std::string says; ///< what it will do, for the operator: lines, each ending in a newline
    std::function<void()> run;
};

constexpr int oldest_server = 150000; ///< server_version_num

std::string database_name(const Settings& settings) {
    std::string name = store::keyword(settings.database, "dbname");
    if (name.empty()) throw Error{"The setting database names no database (dbname=…)."};
    return name;
}

void require_server(const Administrator& administrator) {
    const std::string version = administrator.ask_one("SHOW server_version_num");
    if (version.empty() || std::stoi(version) < oldest_server)
        throw Error{"The server is older than PostgreSQL 15."};
}

// Access ------------------------------------------------------------------------------------------

struct AccessFiles {
    FileChange access;
    FileChange identities;
};

/// The errors that PostgreSQL finds in both files on disk.
std::vector<std::string> faults_of_files(const Administrator& administrator) {
    return administrator.ask(
        "SELECT 'pg_hba.conf line ' || line_number || ': ' || error FROM pg_hba_file_rules WHERE "
        "error IS NOT NULL UNION ALL SELECT 'pg_ident.conf line ' || line_number || ': ' || error "
        "FROM "
        "pg_ident_file_mappings WHERE error IS NOT NULL");
}

/// Returns when the server has reloaded its files.
void read_files_anew(const Administrator& administrator) {
    constexpr int most_tries = 200;
    const std::string moment = "SELECT pg_conf_load_time()";
    const std::string before = administrator.ask_one(moment);
    administrator.ask("SELECT pg_reload_conf()");
    for (int tries = 0; tries < most_tries; ++tries)
        if (administrator.ask_one(moment) != before) return;
    throw Error{"PostgreSQL did not reload its files; see its log."};
}

void change_access(const Administrator& administrator, const AccessFiles& files) {
    if (files.identities.needed()) files.identities.apply();
    if (files.access.needed()) files.access.apply();
    const auto faults = faults_of_files(administrator);
    if (!faults.empty()) {
        files.identities.take_back();
        files.access.take_back();
        throw Error{"PostgreSQL rejected the new pg_hba.conf or pg_ident.conf; the old files were "
                    "restored: " +
                    faults.front() + "."};
    }
    read_files_anew(administrator);
}

std::string says_of(const FileChange& change, const std::vector<std::string>& lines) {
    if (!change.needed()) return {};
    std::string text = "Put into " + change.file().string() + " (a copy stays at " +
                       change.copy().string() + "):\n";
    for (const std::string& line : lines) text += "    " + line + "\n";
    return text;
}

std::vector<Step> access_step(const Settings& settings, const Administrator& administrator) {
    if (!is_local(settings.database)) return {};
    const auto access_lines = local_access(database_name(settings));
    auto files = std::make_shared<AccessFiles>(AccessFiles{
        {administrator.ask_one("SHOW hba_file"), access_lines, BlockPlace::before_all_lines},
        {administrator.ask_one("SHOW ident_file"), local_identities(), BlockPlace::at_the_end}});
    const std::string other = database_of_block(files->access.before());
    if (!other.empty() && other != database_name(settings))
        throw Error{files->access.file().string() + " has the lines of the database " + other +
                    ", which would lose them. Name it in the setting database, or remove that "
                    "block first."};
    const std::string says =
        says_of(files->access, access_lines) + says_of(files->identities, local_identities());
    if (says.empty()) return {};
    if (const auto faults = faults_of_files(administrator); !faults.empty())
        throw Error{"PostgreSQL's own files have an error; correct it first: " + faults.front() +
                    "."};
    return {{says + "Have PostgreSQL read them.\n",
             [files, &administrator] { change_access(administrator, *files); }}};
}

// Roles, database, schema -------------------------------------------------------------------------

std::vector<Step> roles_step(const Settings& settings, const Administrator& administrator) {
    if (administrator.has_roles(database_name(settings))) return {};
    const std::string name = database_name(settings);
    return {
        {"Make the roles usershell_owner, _auth, _manage, _execute, _opener, _mail and _rewrap, "
         "and the database " +
             name +
             ", where they are missing. Take back what a role has that it should not: a "
             "password, settings, large objects.\n",
         [&administrator, name] { administrator.make_roles(name); }}};
}

std::vector<Step> schema_step(const Settings& settings, bool reachable) {
    const std::string connection = owner_connection(settings);
    if (reachable && store::missing_migrations(connection).empty()) return {};
    return {{"Make this version's schema.\n", [connection] { store::migrate(connection); }}};
}

// Rings, first user ----------------------------------------------------------------------------

std::vector<Step> rings_step(const Settings& settings) {
    const auto missing = missing_rings(settings);
    if (missing.empty()) return {};
    if (missing.size() != crypto::all_ring_roles.size())
        throw Error{"The " + std::string{crypto::name_of(missing.front())} + " ring is not in " +
                    settings.rings + ": put its files back from your copy."};
    return {{"Make the key rings in " + settings.rings +
                 ". Keep a copy of the secret files: without them no stored key can be read.\n",
             [&settings] {
                 OperatorStore store{settings};
                 make_rings(settings, store, false);
             }}};
}

std::vector<Step> user_step(const Settings& settings, const std::optional<FirstUser>& user,
                            bool schema_is_there) {
    if (!user) return {};
    if (schema_is_there) {
        OperatorStore store{settings};
        if (store::find_user(store, user->email.normalized)) return {};
    }
    return {
        {"Add " + user->email.shown + ", with a password that you choose.\n", [&settings, user] {
             const auto hash = read_password_hash(settings, user->email.shown, user->name);
             OperatorStore store{settings};
             store::add_user(store, crypto::random_id<UserId>(), user->email, user->name, hash);
         }}};
}

// All of them -------------------------------------------------------------------------------------

/// The steps that are needed, in order. The references outlive them. Throws Error when the server
/// or the rings are in a state that no step can mend.
std::vector<Step> steps_to_do(const Settings& settings, const Administrator& administrator,
                              const std::optional<FirstUser>& user) {
    require_server(administrator);
    std::vector<Step> all;
    const auto add = [&all](std::vector<Step> steps) {
        std::ranges::move(steps, std::back_inserter(all));
    };
    add(access_step(settings, administrator));
    add(roles_step(settings, administrator));
    // The next steps connect as the owner, which needs the steps above.
    const bool reachable = all.empty();
    add(schema_step(settings, reachable));
    const bool has_schema = all.empty();
    add(rings_step(settings));
    add(user_step(settings, user, has_schema));
    return all;
}

/// For a server on another machine: lines that say what its administrator has to do there, as it
/// can't be done from here.
std::string remote_advice(const Settings& settings) {
    if (is_local(settings.database)) return {};
    std::string text = "PostgreSQL is on another machine. Its administrator puts into pg_hba.conf "
                       "there, before all other lines:\n";
    for (const auto& line : remote_access(database_name(settings))) text += "    " + line + "\n";
    return text + "Each program connects with a client certificate whose common name is its role "
                  "(sslcert, sslkey, sslrootcert and sslmode=verify-full in its setting "
                  "database).\n";
}

std::optional<FirstUser> first_user(Arguments& arguments) {
    auto email = arguments.option("user");
    auto name = arguments.option("name");
    if (!email && !name) return std::nullopt;
    if (!email || !name) throw UsageError{"--user and --name are given together."};
    auto address = parse_email(*email);
    if (!address) throw UsageError{"That is no e-mail address."};
    return FirstUser{*std::move(address), parse_name(*name)};
}

void report(bool done_something) {
    std::cout << (done_something ? "Done." : "Nothing to do: everything is there.")
              << " usershellctl check shows whether all is well.\n";
}

} // namespace

void init(const Settings& settings, Arguments& arguments) {
    const bool sure = arguments.flag("yes");
    const auto connection = arguments.option("administrator");
    const auto user = first_user(arguments);
    arguments.finish();
    const Administrator administrator{settings, connection};
    const auto steps = steps_to_do(settings, administrator, user);
    std::cout << remote_advice(settings);
    for (const Step& step : steps) std::cout << step.says;
    std::cout << std::flush;
    if (!steps.empty() && !may_go_on(sure)) throw Error{"Nothing was done."};
    for (const Step& step : steps) step.run();
    OperatorStore store{settings};
    require_whole_rings(settings, store);
    report(!steps.empty());
}

} // namespace usershell::ctl
