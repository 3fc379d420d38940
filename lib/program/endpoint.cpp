#include "program/endpoint.hpp"

#include "runtime/listener.hpp"

namespace usershell::program {
namespace {

enum Family : std::size_t { processes, lent, idle, limit };

std::vector<metrics::Family> families() {
    using enum metrics::Kind;
    return {{"usershell_processes", "Processes of the program that run.", gauge},
            {"usershell_database_connections_lent", "Connections at work for a request.", gauge},
            {"usershell_database_connections_idle", "Connections open and waiting.", gauge},
            {"usershell_database_connections_limit", "Connections at most.", gauge}};
}

std::optional<Listener> listener_of(const Settings& settings) {
    if (!settings.metrics_socket.empty()) return Listener::bound(settings.metrics_socket);
    return Listener::inherited(Listener::Purpose::metrics);
}

std::string build_information(Program program) {
    return "# HELP usershell_build_info What is installed; always 1.\n"
           "# TYPE usershell_build_info gauge\n"
           "usershell_build_info{program=\"" +
           std::string{name_of(program)} + "\",version=\"" USERSHELL_VERSION "\"} 1\n";
}

} // namespace

ProcessGauges::ProcessGauges(const std::string& folder, const store::Database& database)
    : database_{database},
      registry_{folder, "process", families()} {}

void ProcessGauges::sample() {
    const store::Database::Usage usage = database_.usage();
    registry_.set(processes, 1);
    registry_.set(lent, static_cast<std::int64_t>(usage.lent));
    registry_.set(idle, static_cast<std::int64_t>(usage.idle));
    registry_.set(limit, static_cast<std::int64_t>(usage.limit));
}

std::optional<metrics::Server> serve_monitoring(Program program, const Settings& settings,
                                                metrics::Sources sources) {
    auto listener = listener_of(settings);
    if (!listener) return std::nullopt;
    sources.constants = build_information(program);
    return std::optional<metrics::Server>{std::in_place, std::move(*listener), std::move(sources)};
}

} // namespace usershell::program
