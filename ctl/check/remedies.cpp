#include "ctl/check/findings.hpp"

namespace usershell::ctl {

namespace {

/// The compiler names a remedy without words.
std::string_view words_of(Remedy remedy) {
    switch (remedy) {
    case Remedy::unknown:
        return {};
    case Remedy::correct_setting:
        return "Correct the setting; its program's manual page has its form.";
    case Remedy::correct_host:
        return "Mend the name in the setting database, or its DNS.";
    case Remedy::start_server:
        return "Start PostgreSQL: systemctl restart postgresql; journalctl -u 'postgresql@*' says "
               "why it does not start.";
    case Remedy::write_access_lines:
        return "Run usershellctl init, which writes the lines of pg_hba.conf and pg_ident.conf.";
    case Remedy::more_connections:
        return "Raise max_connections in postgresql.conf, then systemctl restart postgresql and "
               "usershellctl init.";
    case Remedy::no_pooler:
        return "Name PostgreSQL's own socket or address in the setting database.";
    case Remedy::init:
        return "Run usershellctl init, or psql with sql/roles.sql.";
    case Remedy::migrate:
        return "Run usershellctl migrate.";
    case Remedy::other_version:
        return "Install it: apt install ./usershell_VERSION.deb";
    case Remedy::reinstall:
        return "Install the package again: apt install --reinstall usershell";
    case Remedy::install_curl:
        return "Install the package curl.";
    case Remedy::restore_rings:
        return "Put the files of /etc/usershell/rings back from your copy.";
    }
    return {};
}

} // namespace

std::string words_for(Remedy remedy, std::string otherwise) {
    const auto words = words_of(remedy);
    return words.empty() ? std::move(otherwise) : std::string{words};
}

} // namespace usershell::ctl
