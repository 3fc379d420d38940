// usershell-execute: everything that opens a key and calls a provider with it.
#include "execute/execute.hpp"
#include "app/dispatch.hpp"
#include "app/rounds.hpp"
#include "execute/courier.hpp"
#include "execute/routes.hpp"
#include "fcgi/program.hpp"
#include "fcgi/worker.hpp"

#include <optional>

using namespace usershell;

int main(int argc, char** argv) {
    return run_program("usershell-execute", argc, argv, [](const Settings& settings) {
        Execute wing{settings};
        wing.database.require_schema();
        std::optional<Rounds> courier;
        if (settings.mail_configured())
            courier.emplace("courier", [&wing] { return send_due_mail(wing); });
        const Dispatch dispatch{wing.database, Guard{settings.base_url}, execute_routes(wing),
                                nullptr};
        const WorkerOptions options{.socket = settings.socket,
                                    .threads = settings.threads != 0 ? settings.threads : 256};
        return run_worker(options, [&dispatch](const Request& request, Stream& stream) {
            return dispatch.serve(request, stream);
        });
    });
}
