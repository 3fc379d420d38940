#include "ctl/check/findings.hpp"

#include <algorithm>
#include <array>

namespace usershell::ctl {

namespace {

struct Remedy {
    std::string_view piece; ///< of a sentence
    std::string_view remedy;
};

constexpr std::string_view write_access_lines =
    "Run usershellctl init, which writes the lines of pg_hba.conf and pg_ident.conf.";
constexpr std::string_view more_connections =
    "Raise max_connections in postgresql.conf, then systemctl restart postgresql and usershellctl "
    "init.";
constexpr std::string_view put_rings_back =
    "Put the files of /etc/usershell/rings back from your copy.";

/// The first that fits counts.
constexpr std::array remedies{
    Remedy{"usershellctl migrate", "Run usershellctl migrate."},
    Remedy{"nstall that version", "Install it: apt install ./usershell_VERSION.deb"},
    Remedy{"nstall the version", "Install it: apt install ./usershell_VERSION.deb"},
    Remedy{"no curl", "Install the package curl."},
    Remedy{"connection pooler", "Name PostgreSQL's own socket or address in the setting database."},
    Remedy{"authentication failed", write_access_lines},
    Remedy{"no pg_hba.conf entry", write_access_lines},
    Remedy{"not permitted to log in", "Run usershellctl init, or psql with sql/roles.sql."},
    Remedy{"does not exist", "Run usershellctl init."},
    Remedy{"too many clients", more_connections},
    Remedy{"too many connections for role", more_connections},
    Remedy{"remaining connection slots", more_connections},
    Remedy{"could not translate host name", "Mend the name in the setting database, or its DNS."},
    Remedy{"connection to server",
           "Start PostgreSQL: systemctl restart postgresql; journalctl -u 'postgresql@*' says why "
           "it does not start."},
    Remedy{"ring", put_rings_back},
    Remedy{"credentials", put_rings_back},
    Remedy{"No such file", "Install the package again: apt install --reinstall usershell"},
    Remedy{"templates", "Install the package again: apt install --reinstall usershell"},
};

} // namespace

std::string remedy_for(std::string_view sentence, std::string otherwise) {
    const auto* const found = std::ranges::find_if(remedies, [&](const Remedy& each) {
        return sentence.find(each.piece) != std::string_view::npos;
    });
    return found == remedies.end() ? std::move(otherwise) : std::string{found->remedy};
}

} // namespace usershell::ctl
