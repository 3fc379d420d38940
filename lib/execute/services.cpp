#include "execute/services.hpp"

#include "domain/rules.hpp"
#include "store/installation.hpp"

#include <algorithm>
#include <thread>

namespace usershell::execute {
namespace {

constexpr std::size_t max_memory_unit = std::size_t{1024} * 1024;
constexpr std::chrono::seconds renew_interval{15}; ///< a slot lasts a minute
constexpr std::chrono::seconds max_unrenewed{45};  ///< so that a call ends before its slot
constexpr std::chrono::hours relay_total{24};
constexpr std::chrono::seconds relay_work{60};

/// At least two, of which one user has at most half: their large answers hold up no others.
std::size_t reader_threads() { return std::max(std::thread::hardware_concurrency(), 2U); }

} // namespace

Services::Services(const Settings& given)
    : settings{given},
      database{given.database, given.database_connections},
      vault_ring{crypto::load_ring<crypto::VaultSecret>(given.vault_secret)},
      web_ring{crypto::load_ring<crypto::WebPublic>(given.web_public)},
      unsealer{vault_ring, web_ring,
               given.hold_keys_on_change ? crypto::AddressRule::whole : crypto::AddressRule::path},
      calls{given.max_calls, given.max_memory * max_memory_unit},
      meter{given.metrics_folder},
      waiting{given.max_calls, rules::max_token_calls},
      memory{loop, given.max_memory * max_memory_unit / 2, given.max_memory * max_memory_unit / 8},
      threads{loop, given.database_connections, "call"},
      readers{loop, reader_threads(), "answer", reader_threads() / 2},
      endings{database, loop, threads},
      http{loop, EgressPolicy{given.egress_allow}, given.upstream_ca} {}

std::vector<crypto::RingSummary> Services::rings() const {
    return {crypto::summary_of(vault_ring), crypto::summary_of(web_ring)};
}

void Services::require_store() { store::require_store(database, rings()); }

std::chrono::milliseconds Services::upkeep() {
    calls.give_back_memory();
    start(end(calls.due(max_unrenewed))); // before the store is asked, which may fail
    const auto due = calls.due(renew_interval);
    if (!due.empty()) {
        const auto asked_at = std::chrono::steady_clock::now();
        store::Lease lease{database};
        start(end(calls.renewed(due, store::renew_calls(lease, due), asked_at)));
    }
    return renew_interval / 3;
}

Task<> Services::end(std::vector<store::CallId> lost) {
    if (lost.empty()) co_return;
    co_await loop.enter();
    calls.end(lost);
}

CallLimits Services::chat_limits() const {
    CallLimits limits;
    limits.connect = settings.upstream_connect_timeout;
    limits.silence = std::min(settings.upstream_silence_timeout, rules::max_page_silence);
    limits.total = settings.upstream_total_timeout;
    return limits;
}

CallLimits Services::list_limits() const {
    CallLimits limits = check_limits();
    limits.answer_bytes = rules::max_list_answer;
    return limits;
}

CallLimits Services::check_limits() const {
    CallLimits limits = chat_limits();
    limits.total = settings.upstream_test_timeout;
    limits.answer_bytes = rules::max_test_answer;
    limits.work = rules::max_test_work;
    return limits;
}

/// An answer may take as long as it goes on; its bytes are bounded by what holds them.
CallLimits Services::relay_limits() const {
    CallLimits limits = chat_limits();
    limits.silence = settings.upstream_silence_timeout;
    limits.total = relay_total;
    limits.work = relay_work;
    return limits;
}

} // namespace usershell::execute
