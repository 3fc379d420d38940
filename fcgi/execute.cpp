// usershell-execute: everything that opens a key and calls a provider with it.
#include "app/dispatch.hpp"
#include "app/monitoring/endpoint.hpp"
#include "app/periodic_task.hpp"
#include "app/program.hpp"
#include "execute/handlers.hpp"
#include "execute/services.hpp"
#include "fcgi/serve.hpp"
#include "runtime/process.hpp"

using namespace usershell;

int main(int argc, char** argv) {
    return app::run_program(Program::execute, argc, argv, [](const CommandLine& given) {
        const Settings& settings = given.settings;
        allow_all_descriptors(); // a call needs two
        execute::Services services{settings};
        services.require_store();
        if (given.check) return 0;
        const app::PeriodicTask reporter = app::report_rings(services.database, services.rings());
        const LoopThread loop{services.loop};
        const app::PeriodicTask upkeep{"upkeep of calls",
                                       [&services] { return services.upkeep(); }};
        app::Routes routes = execute::execute_routes(services);
        app::RequestMeter requests{settings.metrics_folder, app::patterns_of(routes)};
        const app::Dispatch dispatch{services.database,
                                     app::Guard{app::Pool::execute, settings.base_url},
                                     std::move(routes), nullptr, requests};
        app::ProcessGauges process{settings.metrics_folder, services.database};
        const auto monitoring = app::serve_monitoring(
            Program::execute, settings,
            {.require_store = [&services] { services.require_store(); },
             .registries = {&requests.registry(), &process.registry(), &services.meter.registry()},
             .sample =
                 [&process, &services] {
                     process.sample();
                     services.meter.under_way(services.calls.size());
                 }});
        return fcgi::serve(dispatch, settings, 64, &services.loop);
    });
}
