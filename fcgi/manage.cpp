// usershell-manage: pages, sign-in, and everything that changes a provider, model, account or
// profile.
#include "app/dispatch.hpp"
#include "app/monitoring/endpoint.hpp"
#include "app/periodic_task.hpp"
#include "app/program.hpp"
#include "fcgi/worker.hpp"
#include "manage/services.hpp"
#include "manage/sign_in/cookies.hpp"

using namespace usershell;
using namespace usershell::fcgi;

int main(int argc, char** argv) {
    return app::run_program(Program::manage, argc, argv, [](const CommandLine& given) {
        const Settings& settings = given.settings;
        manage::Services services{settings};
        services.require_store();
        if (given.check) return 0;
        manage::fold_legacy_vault(services);
        const app::PeriodicTask sweeper{"sweeper", [&services] { return manage::sweep(services); }};
        const app::PeriodicTask forgetter{"forgetter", [&services]() -> std::chrono::milliseconds {
                                              constexpr std::chrono::seconds one{1};
                                              services.database.forget_sessions(one);
                                              return one;
                                          }};
        const app::Guard guard{
            app::Pool::manage, settings.base_url, [&services](const web::Request& request) {
                return manage::visitor_antiforgery_key(services.web_ring, request);
            }};
        app::Routes routes = manage::manage_routes(services);
        app::RequestMeter requests{settings.metrics_folder, app::patterns_of(routes)};
        const app::Dispatch dispatch{services.database, guard, std::move(routes), &services.pages,
                                     requests};
        app::ProcessGauges process{settings.metrics_folder, services.database};
        const auto monitoring =
            app::serve_monitoring(Program::manage, settings,
                                  {.require_store = [&services] { services.require_store(); },
                                   .registries = {&requests.registry(), &process.registry(),
                                                  &services.password_checks.registry()},
                                   .sample = [&process] { process.sample(); }});
        const WorkerOptions options{.socket = settings.socket,
                                    .max_threads = settings.threads != 0 ? settings.threads : 8};
        const Application application{
            .serve = [&dispatch](const web::Request& request) { return dispatch.serve(request); },
            .refuse =
                [&dispatch](const Refusal& refusal, const web::Request& request) {
                    return dispatch.refuse(refusal, request);
                }};
        return run_worker(options, application);
    });
}
