// usershell-auth: signing in, and everything that changes credentials, addresses or sessions.
#include "app/dispatch.hpp"
#include "app/monitoring/endpoint.hpp"
#include "app/periodic_task.hpp"
#include "app/program.hpp"
#include "auth/cookies.hpp"
#include "auth/services.hpp"
#include "fcgi/serve.hpp"

using namespace usershell;

int main(int argc, char** argv) {
    return app::run_program(Program::auth, argc, argv, [](const CommandLine& given) {
        const Settings& settings = given.settings;
        auth::Services services{settings};
        services.require_store();
        if (given.check) return 0;
        const app::PeriodicTask reporter = app::report_rings(services.database, services.rings());
        const app::PeriodicTask sweeper{"sweeper", [&services] { return auth::sweep(services); }};
        const app::PeriodicTask forgetter = app::forget_idle_sessions(services.database);
        const app::Guard guard{
            app::Pool::auth, settings.base_url, [&services](const web::Request& request) {
                return auth::visitor_antiforgery_key(services.auth_ring, request);
            }};
        app::Routes routes = auth::auth_routes(services);
        app::RequestMeter requests{settings.metrics_folder, app::patterns_of(routes)};
        const app::Dispatch dispatch{services.database, guard, std::move(routes), &services.pages,
                                     requests};
        app::ProcessGauges process{settings.metrics_folder, services.database};
        const auto monitoring =
            app::serve_monitoring(Program::auth, settings,
                                  {.require_store = [&services] { services.require_store(); },
                                   .registries = {&requests.registry(), &process.registry(),
                                                  &services.password_checks.registry()},
                                   .sample = [&process] { process.sample(); }});
        return fcgi::serve(dispatch, settings, 8);
    });
}
