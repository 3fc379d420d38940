#include "manage/services.hpp"

namespace usershell::manage {
namespace {

constexpr std::size_t default_connections = 8;

} // namespace

Services::Services(const Settings& given)
    : settings{given},
      database{given.database,
               given.database_connections != 0 ? given.database_connections : default_connections},
      pages{given.templates, app::template_names()},
      web_ring{crypto::load_web_secret(given.web_secret)},
      sealer{crypto::load_vault_public(given.vault_public), web_ring},
      passwords{crypto::PasswordCost{given.password_opslimit, given.password_memlimit}},
      egress{given.egress_allow},
      mails{pages, sealer, given.base_url} {}

} // namespace usershell::manage
