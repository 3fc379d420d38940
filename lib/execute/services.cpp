#include "execute/services.hpp"

#include "base/rules.hpp"
#include "store/installation.hpp"

namespace usershell::execute {
namespace {

constexpr std::size_t default_connections = 8;

} // namespace

Services::Services(const Settings& given)
    : settings{given},
      database{given.database,
               given.database_connections != 0 ? given.database_connections : default_connections},
      vault_ring{crypto::load_ring<crypto::VaultSecret>(given.vault_secret)},
      web_ring{crypto::load_ring<crypto::WebPublic>(given.web_public)},
      unsealer{vault_ring, web_ring,
               given.hold_keys_on_change ? crypto::AddressRule::whole : crypto::AddressRule::path},
      http{EgressPolicy{given.egress_allow}, given.upstream_ca} {}

void Services::require_store() {
    store::require_store(database, {crypto::summary_of(vault_ring), crypto::summary_of(web_ring)});
}

net::HttpLimits Services::chat_limits() const {
    net::HttpLimits limits;
    limits.connect = settings.upstream_connect_timeout;
    limits.first_byte = settings.upstream_first_byte_timeout;
    limits.silence = settings.upstream_silence_timeout;
    limits.total = settings.upstream_total_timeout;
    return limits;
}

net::HttpLimits Services::list_limits() const {
    net::HttpLimits limits = check_limits();
    limits.answer_bytes = rules::max_list_answer;
    return limits;
}

net::HttpLimits Services::check_limits() const {
    net::HttpLimits limits = chat_limits();
    limits.total = settings.upstream_test_timeout;
    return limits;
}

} // namespace usershell::execute
