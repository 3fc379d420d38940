// usershell-mail: sends the mail that other programs have queued. It alone can open it.
#include "base/logging/log.hpp"
#include "mail/sender.hpp"
#include "mail/services.hpp"
#include "program/program.hpp"
#include "runtime/process.hpp"

using namespace usershell;

int main(int argc, char** argv) {
    return program::run_program(Program::mail, argc, argv, [](const CommandLine& given) {
        const Settings& settings = given.settings;
        mail::Services services{settings};
        if (given.check) return 0;
        services.require_store();
        const program::PeriodicTask reporter =
            program::report_rings(services.database, services.rings());
        mail::OutboxGauges outbox{services};
        program::ProcessGauges process{settings.metrics_folder, services.database};
        const auto monitoring =
            program::serve_monitoring(Program::mail, settings,
                                      {.require_store = [&services] { services.require_store(); },
                                       .registries = {&process.registry(), &outbox.registry()},
                                       .sample =
                                           [&process, &outbox] {
                                               process.sample();
                                               outbox.sample();
                                           }});
        {
            const program::PeriodicTask sender{
                "mail sender", [&services] { return mail::send_due_mail(services); }};
            log(Level::notice, "mail sender started");
            wait_until_stopped();
            log(Level::notice, "mail sender stopping");
        } // a conversation under way comes to its end
        log(Level::notice, "mail sender stopped");
        return 0;
    });
}
