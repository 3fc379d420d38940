#include "execute/execute.hpp"

namespace usershell {
namespace {

constexpr std::size_t default_connections = 8;
constexpr std::size_t list_bytes = std::size_t{8} * 1024 * 1024;

} // namespace

Execute::Execute(const Settings& given)
    : settings{given},
      database{given.database,
               given.database_connections != 0 ? given.database_connections : default_connections},
      unsealer{load_vault_secret(given.vault_secret), load_web_public(given.web_public),
               given.hold_keys_on_host_change},
      http{EgressPolicy{given.egress_allow}, given.upstream_ca} {}

HttpLimits Execute::chat_limits() const {
    HttpLimits limits;
    limits.connect = settings.upstream_connect_timeout;
    limits.first_byte = settings.upstream_first_byte_timeout;
    limits.silence = settings.upstream_silence_timeout;
    limits.total = settings.upstream_total_timeout;
    return limits;
}

HttpLimits Execute::list_limits() const {
    HttpLimits limits = check_limits();
    limits.answer_bytes = list_bytes;
    return limits;
}

HttpLimits Execute::check_limits() const {
    HttpLimits limits = chat_limits();
    limits.total = settings.upstream_test_timeout;
    return limits;
}

} // namespace usershell
