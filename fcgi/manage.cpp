// usershell-manage: everything that changes a provider, model, account, name or picture.
#include "app/dispatch.hpp"
#include "app/monitoring/endpoint.hpp"
#include "app/periodic_task.hpp"
#include "app/program.hpp"
#include "fcgi/serve.hpp"
#include "manage/services.hpp"

using namespace usershell;

int main(int argc, char** argv) {
    return app::run_program(Program::manage, argc, argv, [](const CommandLine& given) {
        const Settings& settings = given.settings;
        manage::Services services{settings};
        services.require_store();
        if (given.check) return 0;
        const app::PeriodicTask reporter = app::report_rings(services.database, services.rings());
        manage::fold_legacy_vault(services);
        const app::PeriodicTask forgetter = app::forget_idle_sessions(services.database);
        const app::Guard guard{app::Pool::manage, settings.base_url};
        app::Routes routes = manage::manage_routes(services);
        app::RequestMeter requests{settings.metrics_folder, app::patterns_of(routes)};
        const app::Dispatch dispatch{services.database, guard, std::move(routes), &services.pages,
                                     requests};
        app::ProcessGauges process{settings.metrics_folder, services.database};
        const auto monitoring =
            app::serve_monitoring(Program::manage, settings,
                                  {.require_store = [&services] { services.require_store(); },
                                   .registries = {&requests.registry(), &process.registry()},
                                   .sample = [&process] { process.sample(); }});
        return fcgi::serve(dispatch, settings, 8);
    });
}
