#include "manage/manage.hpp"

namespace usershell {
namespace {

constexpr std::size_t default_connections = 8;

} // namespace

Manage::Manage(const Settings& given)
    : settings{given},
      database{given.database,
               given.database_connections != 0 ? given.database_connections : default_connections},
      pages{given.templates},
      web_ring{load_web_secret(given.web_secret)},
      sealer{load_vault_public(given.vault_public), web_ring},
      passwords{PasswordCost{given.password_opslimit, given.password_memlimit}},
      egress{given.egress_allow},
      mails{pages, sealer, given.base_url} {}

} // namespace usershell
