#include "ctl/command.hpp"
#include "ctl/operator_store.hpp"
#include "ctl/table.hpp"
#include "store/outbox.hpp"

namespace usershell::ctl {

void mail_list(const Settings& settings, Arguments& arguments) {
    Table table{arguments,
                {{"id"},
                 {"email"},
                 {"kind"},
                 {"state"},
                 {"attempts", "", " tries"},
                 {"nextAttemptAt", "next "},
                 {"reason"}}};
    arguments.finish();
    OperatorStore store{settings};
    for (const store::MailRow& mail : store::list_mail(store))
        table.add({mail.id, mail.owner_email, mail.kind, mail.state, mail.attempts,
                   cell(mail.next_attempt), cell_unless_empty(mail.reason)});
    table.print();
}

} // namespace usershell::ctl
