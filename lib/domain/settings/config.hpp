// Settings of the programs: one table of rows in setting_table.cpp, one row a setting (which
// programs read it, name, field, default, bounds, help, secret or not). The table fills the struct
// from the file and the command line, prints --help and dumps itself with secrets masked. Filled
// once at start; read-only afterwards.
#pragma once

#include "base/error.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace usershell {

/// The programs of the service. Each reads a settings file of its own and refuses settings of the
/// others, so that no file holds a secret without need. A bit each, so that a row of the table can
/// name several.
enum class Program : unsigned {
    auth = 1,
    manage = 2,
    execute = 4,
    mail = 8,
    ctl = 16,
    opener = 32
};

inline constexpr std::array all_programs{Program::auth,   Program::manage, Program::execute,
                                         Program::opener, Program::mail,   Program::ctl};

/// As it is started: "usershell-manage".
constexpr std::string_view name_of(Program program) {
    switch (program) {
    case Program::auth:
        return "usershell-auth";
    case Program::manage:
        return "usershell-manage";
    case Program::execute:
        return "usershell-execute";
    case Program::opener:
        return "usershell-opener";
    case Program::mail:
        return "usershell-mail";
    case Program::ctl:
        return "usershellctl";
    }
    return {};
}

/// The fields of settings that a program does not read stay empty.
struct Settings {
    std::string socket;         ///< path of an own listening socket; empty: inherited (LISTEN_FDS)
    std::string metrics_socket; ///< path of an own socket for metrics; empty: inherited, or none
    std::string metrics_folder; ///< where the processes of a pool count together; empty: each alone
    std::string
        base_url; ///< canonical origin, "https://host[:port]": links in mails, Origin checks
    std::string opener_socket;    ///< of usershell-opener
    std::string templates;        ///< folder of the page templates
    std::string common_passwords; ///< file of refused passwords, one a line
    std::string database;         ///< libpq connection string
    std::string vault_public;     ///< files of the key rings: crypto/ring/ring.hpp
    std::string vault_secret;
    std::string web_public;
    std::string web_secret;
    std::string auth_public;
    std::string auth_secret;
    std::string mail_public; ///< empty: no mail is queued
    std::string mail_secret;
    std::string rings;         ///< folder of all ring files
    std::uint32_t threads = 0; ///< request threads at most; 0: the program's own default
    std::uint32_t database_connections = 16; ///< at most, of a process
    std::uint32_t max_calls = 8192;          ///< to providers at a time, of one process
    std::uint32_t max_memory = 1024;         ///< MiB of a process, from which no call begins
    std::vector<std::string> egress_allow;
    std::vector<std::string> catalogue_base_url; ///< "type=URL" rows, known types, canonical URLs
    bool api = false;                            ///< access tokens, and /v1 for them
    bool require_https = false;
    bool hold_keys_on_change = true;
    bool provider_cookies = false;
    std::chrono::seconds session_idle{};
    std::chrono::seconds session_absolute{};
    std::chrono::seconds keep_events{}; ///< how long people can see what has happened
    std::uint32_t password_opslimit = 0;
    std::size_t password_memlimit = 0; ///< bytes
    std::chrono::seconds upstream_connect_timeout{};
    std::chrono::seconds upstream_silence_timeout{};
    std::chrono::seconds upstream_total_timeout{};
    std::chrono::seconds upstream_test_timeout{}; ///< whole time of a connectivity check
    std::string upstream_ca; ///< extra CA file for upstream TLS; empty: the system's
    std::string smtp_url;    ///< smtp://host:port or smtps://host:port
    std::string smtp_user;
    std::string smtp_password; ///< secret
    std::string smtp_from;     ///< address of the sender
    std::string smtp_ca;
    bool forgot_password = true; ///< in force only where mail is configured
    bool notify_old_address = true;

    bool mail_configured() const { return !mail_public.empty(); }
};

/// A command line, read.
struct CommandLine {
    Settings settings;
    bool help = false;
    bool dump = false;  ///< --dump-config
    bool check = false; ///< --check-config; usershellctl has a command of its own for that
    bool version = false;
    std::vector<std::string> arguments; ///< what is no option; usershellctl's command and its words
};

/// A setting that can't be used; what() is one sentence that names file, line and setting.
class ConfigError : public Error {
public:
    explicit ConfigError(const std::string& what, Remedy remedy = Remedy::correct_setting)
        : Error{what, remedy} {}
};

/// Reads `--config FILE` (lines `name = value`, lines that begin with `#` are comments, a
/// repeatable setting may stand on several lines), then the command line (`--name value` or
/// `--name=value`), which wins (a repeatable setting given there replaces the file's). A setting of
/// text may be given empty, which unsets it. For usershellctl, the first word that is no setting's
/// and all other words after it become `arguments`; else such a word is an error. After --help or
/// --version nothing else is read. Throws ConfigError for an unknown, repeated or malformed
/// setting, for one of another program (which is named) and an unreadable file. No message repeats
/// a value.
CommandLine read_settings(Program program, int argc, const char* const* argv);

/// Each file that a setting of the program names can be read; throws ConfigError. For
/// --check-config: some are read only later.
void require_files(Program program, const Settings& settings);

/// Every setting of the program with its help and default, in columns.
void print_help(std::ostream& out, Program program);

/// `name = value` lines in the file's own format, secrets as `********`; what is not set, as a
/// comment.
void dump_settings(std::ostream& out, Program program, const Settings& settings);

} // namespace usershell
