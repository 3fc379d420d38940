// usershell-execute: calls providers, with the keys that usershell-opener opens for a call.
#include "execute/handlers.hpp"
#include "execute/services.hpp"
#include "fcgi/serve.hpp"
#include "pipeline/dispatch.hpp"
#include "program/program.hpp"
#include "runtime/process.hpp"

using namespace usershell;

int main(int argc, char** argv) {
    return program::run_program(Program::execute, argc, argv, [](const CommandLine& given) {
        const Settings& settings = given.settings;
        allow_all_descriptors(); // a call needs two
        execute::Services services{settings};
        if (given.check) return 0;
        services.require_store();
        const LoopThread loop{services.loop};
        const program::PeriodicTask upkeep{
            "upkeep of calls", [&services] { return services.calls.upkeep(services.database); }};
        pipeline::Routes routes = execute::execute_routes(services);
        pipeline::RequestMeter requests{settings.metrics_folder, pipeline::patterns_of(routes)};
        const pipeline::Dispatch dispatch{
            services.database, pipeline::Guard{pipeline::Pool::execute, settings.base_url},
            std::move(routes), nullptr, requests};
        program::ProcessGauges process{settings.metrics_folder, services.database};
        const auto monitoring = program::serve_monitoring(
            Program::execute, settings,
            {.require_store = [&services] { services.require_store(); },
             .registries = {&requests.registry(), &process.registry(),
                            &services.calls.meter.registry()},
             .sample =
                 [&process, &services] {
                     process.sample();
                     services.calls.meter.under_way(services.calls.under_way.size());
                     services.calls.meter.reserved(services.calls.memory.taken());
                 }});
        return fcgi::serve(dispatch, settings, 64, &services.loop);
    });
}
