// usershell-manage: pages, sign-in, and everything that changes a provider, model, account or
// profile.
#include "manage/manage.hpp"
#include "app/dispatch.hpp"
#include "app/rounds.hpp"
#include "fcgi/program.hpp"
#include "fcgi/worker.hpp"
#include "manage/anonymous.hpp"
#include "manage/routes.hpp"
#include "manage/sweep.hpp"

using namespace usershell;

int main(int argc, char** argv) {
    return run_program("usershell-manage", argc, argv, [](const Settings& settings) {
        Manage manage{settings};
        manage.database.require_schema();
        const Rounds sweeper{"sweeper", [&manage] { return sweep(manage); }};
        const Guard guard{settings.base_url, [&manage](const Request& request) {
                              return anonymous_antiforgery_key(manage.web_ring, request);
                          }};
        const Dispatch dispatch{manage.database, guard, manage_routes(manage), &manage.pages};
        const WorkerOptions options{.socket = settings.socket,
                                    .threads = settings.threads != 0 ? settings.threads : 8};
        return run_worker(options, [&dispatch](const Request& request, Stream& stream) {
            return dispatch.serve(request, stream);
        });
    });
}
