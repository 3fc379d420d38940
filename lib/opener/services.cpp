#include "opener/services.hpp"

#include "opener/answers.hpp"
#include "store/installation.hpp"

#include <optional>
#include <string>
#include <type_traits>

namespace usershell::opener {

namespace {

/// Kinds in the order of Request.
std::vector<metrics::Family> families() {
    return {{.name = "usershell_opener_requests_total",
             .help = "Requests of usershell-execute, by what they ask and whether the store has "
                     "found a right to it.",
             .kind = metrics::Kind::counter,
             .labels = {{"kind", {"begin_call", "begin_token_call", "load_provider", "next_key"}},
                        {"outcome", {"answered", "no_right"}}}}};
}

bool has_right(const Answer& answer) {
    return std::visit(
        [](const auto& held) {
            if constexpr (std::is_same_v<decltype(held), const Trouble&>)
                return false;
            else
                return held.has_value();
        },
        answer);
}

} // namespace

Services::Services(const Settings& given)
    : settings{given},
      database{given.database, given.database_connections},
      vault{crypto::load_ring<crypto::VaultSecret>(given.vault_secret)},
      web{crypto::load_ring<crypto::WebPublic>(given.web_public)},
      unsealer{vault, web,
               given.hold_keys_on_change ? crypto::AddressRule::whole : crypto::AddressRule::path},
      requests{given.metrics_folder, "requests", families()} {}

std::vector<crypto::RingSummary> Services::rings() const {
    return {crypto::summary_of(vault), crypto::summary_of(web)};
}

void Services::require_store() { store::require_store(database, rings()); }

Answer Services::answer(const Request& request) {
    Answer answer = opener::answer(database, unsealer, request);
    requests.count(0, {request.index(), has_right(answer) ? 0U : 1U});
    return answer;
}

} // namespace usershell::opener
