// usershell-manage: everything that changes a provider, model, account, name or picture.
#include "fcgi/serve.hpp"
#include "manage/services.hpp"
#include "pipeline/dispatch.hpp"
#include "program/program.hpp"

using namespace usershell;

int main(int argc, char** argv) {
    return program::run_program(Program::manage, argc, argv, [](const CommandLine& given) {
        const Settings& settings = given.settings;
        manage::Services services{settings};
        if (given.check) return 0;
        services.require_store();
        const program::PeriodicTask reporter =
            program::report_rings(services.database, services.rings());
        manage::fold_legacy_vault(services);
        const program::PeriodicTask forgetter = program::forget_idle_sessions(services.database);
        const pipeline::Guard guard{pipeline::Pool::manage, settings.base_url};
        pipeline::Routes routes = manage::manage_routes(services);
        pipeline::RequestMeter requests{settings.metrics_folder, pipeline::patterns_of(routes)};
        const pipeline::Dispatch dispatch{services.database, guard, std::move(routes),
                                          &services.pages, requests};
        program::ProcessGauges process{settings.metrics_folder, services.database};
        const auto monitoring =
            program::serve_monitoring(Program::manage, settings,
                                      {.require_store = [&services] { services.require_store(); },
                                       .registries = {&requests.registry(), &process.registry()},
                                       .sample = [&process] { process.sample(); }});
        return fcgi::serve(dispatch, settings, 16);
    });
}
