// usershell-opener: begins calls for usershell-execute and opens their keys. It reads nothing that
// strangers have written, and talks to nobody else but the database.
#include "base/error.hpp"
#include "opener/server.hpp"
#include "opener/services.hpp"
#include "program/program.hpp"
#include "runtime/listener.hpp"
#include "runtime/process.hpp"

#include <string>
#include <utility>

using namespace usershell;

namespace {

Listener listener_of(const std::string& path) {
    if (!path.empty()) return Listener::bound(path, Transport::packets);
    auto inherited = Listener::inherited(Listener::Purpose::requests, Transport::packets);
    if (!inherited)
        throw Error{"one listening socket must be inherited (LISTEN_FDS), or --socket be given"};
    return std::move(*inherited);
}

} // namespace

int main(int argc, char** argv) {
    return program::run_program(Program::opener, argc, argv, [](const CommandLine& given) {
        const Settings& settings = given.settings;
        opener::Services services{settings};
        services.require_store();
        if (given.check) return 0;
        const program::PeriodicTask reporter =
            program::report_rings(services.database, services.rings());
        program::ProcessGauges process{settings.metrics_folder, services.database};
        const auto monitoring =
            program::serve_monitoring(Program::opener, settings,
                                      {.require_store = [&services] { services.require_store(); },
                                       .registries = {&process.registry(), &services.requests},
                                       .sample = [&process] { process.sample(); }});
        const opener::Server server{
            listener_of(settings.socket),
            [&services](const opener::Request& request) { return services.answer(request); }};
        wait_until_stopped();
        return 0;
    });
}
