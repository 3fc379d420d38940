#include "program/program.hpp"

#include "base/logging/log.hpp"
#include "crypto/secret.hpp"
#include "runtime/listener.hpp"
#include "runtime/process.hpp"
#include "store/installation.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <iostream>
#include <mutex>
#include <optional>
#include <utility>

#include <sys/utsname.h>

namespace usershell::program {

namespace {

/// The sentence of --check-config about files with which the program would not start.
int refuse(const std::string& name, const std::exception& error) {
    std::cerr << name << ": " << loggable(error) << " [" << name_of(remedy_of(error)) << "]\n";
    return 1;
}

bool asks_for_check(int argc, char** argv) {
    return std::any_of(argv, argv + argc,
                       [](std::string_view word) { return word == "--check-config"; });
}

} // namespace

int run_program(Program program, int argc, char** argv,
                const std::function<int(const CommandLine&)>& run) {
    keep_little_memory();
    const std::string name{name_of(program)};
    CommandLine command_line;
    try {
        command_line = read_settings(program, argc, argv);
    } catch (const ConfigError& error) {
        if (asks_for_check(argc, argv)) return refuse(name, error);
        // Without it the journal has the sentence as information, below the errors.
        const char* const priority = stderr_is_the_journal() ? "<3>" : "";
        std::cerr << priority << name << ": " << error.what() << '\n';
        return 2;
    }
    if (command_line.help) {
        print_help(std::cout, program);
        return 0;
    }
    if (command_line.version) {
        std::cout << name << ' ' << USERSHELL_VERSION << '\n';
        return 0;
    }
    if (command_line.dump) {
        dump_settings(std::cout, program, command_line.settings);
        return 0;
    }
    try {
        block_signals();
        crypto::start_crypto();
        std::optional<LogBuffer> buffer;
        if (stderr_is_the_journal()) buffer.emplace(write_to_journal);
        const int status = run(command_line);
        if (command_line.check) require_files(program, command_line.settings);
        return status;
    } catch (const std::exception& error) {
        if (command_line.check) return refuse(name, error);
        log(Level::error, "start failed",
            {{"program", name},
             {"error", loggable(error)},
             {"remedy", std::string{name_of(remedy_of(error))}}});
        return 1;
    }
}

using std::chrono::milliseconds;

PeriodicTask::PeriodicTask(std::string name, std::function<milliseconds()> round,
                           milliseconds delay_after_failure)
    : name_{std::move(name)},
      round_{std::move(round)},
      delay_after_failure_{delay_after_failure},
      thread_{[this](const std::stop_token& stop) { run(stop); }} {}

void PeriodicTask::run(const std::stop_token& stop) {
    std::mutex mutex; // of this thread alone, to wait by
    std::unique_lock lock{mutex};
    std::condition_variable_any stopping;
    while (!stop.stop_requested())
        stopping.wait_for(lock, stop, one_round(), [&] { return stop.stop_requested(); });
}

milliseconds PeriodicTask::one_round() {
    try {
        return round_();
    } catch (const std::exception& error) {
        log(Level::warning, name_, {{"error", loggable(error)}});
        return delay_after_failure_;
    }
}

PeriodicTask forget_idle_sessions(store::Database& database) {
    return PeriodicTask{"forgetter", [&database]() -> milliseconds {
                            constexpr std::chrono::seconds one{1};
                            database.forget_sessions(one);
                            return one;
                        }};
}

PeriodicTask report_rings(store::Database& database, std::vector<crypto::RingSummary> rings) {
    return PeriodicTask{"report of rings", [&database, rings = std::move(rings)]() -> milliseconds {
                            utsname machine{};
                            uname(&machine);
                            store::Lease lease{database};
                            store::report_rings(lease, machine.nodename, rings);
                            return std::chrono::hours{1};
                        }};
}

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
