#include "ctl/init/administrator.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "ctl/system/child.hpp"
#include "store/database/conninfo.hpp"

#include <cstdlib>

#include <pwd.h>
#include <unistd.h>

namespace usershell::ctl {

namespace {

constexpr const char* system_superuser = "postgres";

/// The system user that may be the administrator at a local socket; empty: ourselves.
std::string system_user_for(const Settings& settings) {
    const bool may_switch =
        geteuid() == 0 && is_local(settings.database) && getpwnam(system_superuser) != nullptr;
    return may_switch ? system_superuser : "";
}

/// psql's own sentence, in one line.
std::string reason_in(const std::string& errors) {
    const auto begin = errors.find("ERROR:");
    const std::string_view text =
        std::string_view{errors}.substr(begin == std::string::npos ? 0 : begin);
    return std::string{text.substr(0, text.find('\n'))};
}

} // namespace

bool is_local(const std::string& connection) {
    std::string host = store::keyword(connection, "host");
    const char* const usual = std::getenv("PGHOST");
    if (host.empty() && usual != nullptr) host = usual;
    return host.empty() || host.starts_with('/') || host.starts_with('@');
}

Administrator::Administrator(const Settings& settings, const std::optional<std::string>& connection)
    : connection_{connection
                      ? *connection
                      : store::with_keywords(settings.database,
                                             {{"dbname", "postgres"}, {"user", system_superuser}})},
      system_user_{connection ? "" : system_user_for(settings)} {
    // Every user of the system can see the arguments of a command.
    const std::string password = store::keyword(connection_, "password");
    if (password.empty()) return;
    setenv("PGPASSWORD", password.c_str(), 1);
    connection_ = store::with_keywords(connection_, {{"password", ""}});
}

std::string Administrator::run(std::vector<std::string> words, const std::string& input) const {
    std::vector<std::string> command{"psql", "-XqAtw",    "-v", "ON_ERROR_STOP=1",
                                     "-d",   connection_, "-f", "-"};
    command.insert(command.end(), words.begin(), words.end());
    const ChildResult result = run_child({std::move(command), input, system_user_});
    if (result.status == 0) return result.output;
    if (result.errors.empty())
        throw Error{"psql can't be run: install the package postgresql-client."};
    throw Error{"PostgreSQL's administrator: " + reason_in(result.errors)};
}

std::vector<std::string> Administrator::ask(const std::string& sql) const {
    std::vector<std::string> lines;
    const std::string output = run({}, sql + ";\n");
    for_each_piece(output, '\n', [&lines](std::string_view line) {
        if (!line.empty()) lines.emplace_back(line);
    });
    return lines;
}

std::string Administrator::ask_one(const std::string& sql) const {
    const auto lines = ask(sql);
    return lines.empty() ? std::string{} : lines.front();
}

void Administrator::make_roles(const std::string& database) const {
    run({"-v", "database=" + database}, std::string{roles_sql()});
}

bool Administrator::has_roles(const std::string& database) const {
    return run({"-v", "database=" + database, "-v", "look=true"}, std::string{roles_sql()}).empty();
}

} // namespace usershell::ctl
