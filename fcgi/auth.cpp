// usershell-auth: signing in, and everything that changes credentials, addresses or sessions.
#include "auth/cookies.hpp"
#include "auth/services.hpp"
#include "fcgi/serve.hpp"
#include "pipeline/dispatch.hpp"
#include "program/program.hpp"

using namespace usershell;

int main(int argc, char** argv) {
    return program::run_program(Program::auth, argc, argv, [](const CommandLine& given) {
        const Settings& settings = given.settings;
        auth::Services services{settings};
        if (given.check) return 0;
        services.require_store();
        const program::PeriodicTask reporter =
            program::report_rings(services.database, services.rings());
        const program::PeriodicTask sweeper{"sweeper",
                                            [&services] { return auth::sweep(services); }};
        const program::PeriodicTask announcer{"announcer",
                                              [&services] { return auth::announce(services); }};
        const program::PeriodicTask forgetter = program::forget_idle_sessions(services.database);
        const pipeline::Guard guard{
            pipeline::Pool::auth, settings.base_url, [&services](const web::Request& request) {
                return auth::visitor_antiforgery_key(services.auth_ring, request);
            }};
        pipeline::Routes routes = auth::auth_routes(services);
        pipeline::RequestMeter requests{settings.metrics_folder, pipeline::patterns_of(routes)};
        const pipeline::Dispatch dispatch{services.database, guard, std::move(routes),
                                          &services.pages, requests};
        program::ProcessGauges process{settings.metrics_folder, services.database};
        const auto monitoring =
            program::serve_monitoring(Program::auth, settings,
                                      {.require_store = [&services] { services.require_store(); },
                                       .registries = {&requests.registry(), &process.registry(),
                                                      &services.password_checks.registry()},
                                       .sample = [&process] { process.sample(); }});
        // All strangers are one lane. A person is one, too: no person's requests take all threads.
        const auto lane = [&services](const web::Request& request) {
            const auto user = auth::user_of_browser(services.auth_ring, request);
            return user ? user->text() : std::string{"strangers"};
        };
        return fcgi::serve(dispatch, settings, 8, nullptr, lane);
    });
}
