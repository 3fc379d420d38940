// usershell-mail: sends the mail that the managing program has queued. It alone can open it.
#include "app/monitoring/endpoint.hpp"
#include "app/periodic_task.hpp"
#include "app/program.hpp"
#include "base/logging/log.hpp"
#include "mail/outbox_gauges.hpp"
#include "mail/sender.hpp"
#include "mail/services.hpp"
#include "runtime/process.hpp"

using namespace usershell;

int main(int argc, char** argv) {
    return app::run_program(Program::mail, argc, argv, [](const CommandLine& given) {
        const Settings& settings = given.settings;
        mail::Services services{settings};
        services.require_store();
        if (given.check) return 0;
        const app::PeriodicTask reporter = app::report_rings(services.database, services.rings());
        mail::OutboxGauges outbox{services};
        app::ProcessGauges process{settings.metrics_folder, services.database};
        const auto monitoring =
            app::serve_monitoring(Program::mail, settings,
                                  {.require_store = [&services] { services.require_store(); },
                                   .registries = {&process.registry(), &outbox.registry()},
                                   .sample =
                                       [&process, &outbox] {
                                           process.sample();
                                           outbox.sample();
                                       }});
        {
            const app::PeriodicTask sender{"mail sender",
                                           [&services] { return mail::send_due_mail(services); }};
            log(Level::notice, "mail sender started");
            wait_until_stopped();
            log(Level::notice, "mail sender stopping");
        } // a conversation under way comes to its end
        log(Level::notice, "mail sender stopped");
        return 0;
    });
}
