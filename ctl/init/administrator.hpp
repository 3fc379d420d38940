// Statements that only PostgreSQL's administrator may run, such as making roles and the database:
// run by psql.
#pragma once

#include "domain/settings/config.hpp"

#include <optional>
#include <string>
#include <vector>

namespace usershell::ctl {

/// Is the server of that connection string on this machine, reached by a Unix socket?
bool is_local(const std::string& connection);

class Administrator {
public:
    /// `connection`: the administrator's own, if given. Without it, that of the setting `database`
    /// as role postgres; if the server is on this machine and we are root, psql runs as the system
    /// user postgres (peer authentication).
    Administrator(const Settings& settings, const std::optional<std::string>& connection);

    /// The answer's lines. Throws Error with psql's own sentence.
    std::vector<std::string> ask(const std::string& sql) const;
    /// The answer's one line.
    std::string ask_one(const std::string& sql) const;

    /// Makes the roles, and the database when it isn't there, and takes back what a role should not
    /// have (sql/roles.sql).
    void make_roles(const std::string& database) const;
    /// False: make_roles() has something to do.
    bool has_roles(const std::string& database) const;

private:
    std::string run(std::vector<std::string> words, const std::string& input) const;

    std::string connection_;
    std::string system_user_;
};

/// sql/roles.sql.
std::string_view roles_sql();

} // namespace usershell::ctl
