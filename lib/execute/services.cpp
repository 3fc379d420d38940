#include "execute/services.hpp"

#include "base/ids.hpp"
#include "domain/rules.hpp"
#include "store/installation.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

namespace usershell::execute {
namespace {

constexpr std::size_t max_memory_unit = std::size_t{1024} * 1024;
constexpr std::size_t end_threads = 2;
constexpr std::chrono::hours relay_total{24};
constexpr std::chrono::seconds relay_work{60};

/// At least two, of which one user has at most half: their large answers hold up no others.
std::size_t reader_threads() { return std::max(std::thread::hardware_concurrency(), 2U); }

/// The opener's store answers within ten seconds or not at all. No thread waits longer than the
/// shortest call may take.
std::chrono::milliseconds opener_limit(const Settings& given) {
    return std::min(
        {std::chrono::seconds{12}, given.upstream_test_timeout, given.upstream_total_timeout});
}

} // namespace

Services::Services(const Settings& given)
    : settings{given},
      database{given.database, given.database_connections},
      opener{given.opener_socket, opener_limit(given)},
      threads{loop, given.database_connections, "call"},
      ends{loop, end_threads, "end"},
      readers{loop, reader_threads(), "answer", reader_threads() / 2},
      calls{.under_way = {given.max_calls, given.max_memory * max_memory_unit},
            .meter = CallMeter{given.metrics_folder},
            .waiting = {given.max_calls, rules::max_token_calls},
            .memory = {loop, given.max_memory * max_memory_unit / 2,
                       given.max_memory * max_memory_unit / 8},
            .endings = {database, loop, ends},
            .loop = loop,
            .opener = opener},
      upstream{given, {loop, EgressPolicy{given.egress_allow}, given.upstream_ca}} {}

void Services::require_store() { store::require_store(database, {}); }

const InstallationId& Services::installation() {
    std::call_once(has_asked_, [this] {
        store::Lease lease{database};
        installation_ = store::installation_id(lease);
    });
    return *installation_;
}

CallLimits Upstream::chat_limits() const {
    CallLimits limits;
    limits.connect = settings.upstream_connect_timeout;
    limits.silence = std::min(settings.upstream_silence_timeout, rules::max_page_silence);
    limits.total = settings.upstream_total_timeout;
    return limits;
}

CallLimits Upstream::list_limits() const {
    CallLimits limits = check_limits();
    limits.answer_bytes = rules::max_list_answer;
    return limits;
}

CallLimits Upstream::check_limits() const {
    CallLimits limits = chat_limits();
    limits.total = settings.upstream_test_timeout;
    limits.answer_bytes = rules::max_test_answer;
    limits.work = rules::max_test_work;
    return limits;
}

/// An answer may take as long as it goes on; its bytes are bounded by what holds them.
CallLimits Upstream::relay_limits() const {
    CallLimits limits = chat_limits();
    limits.silence = settings.upstream_silence_timeout;
    limits.total = relay_total;
    limits.work = relay_work;
    return limits;
}

} // namespace usershell::execute
