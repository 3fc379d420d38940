#include "ctl/command.hpp"
#include "ctl/users.hpp"
#include "store/outbox.hpp"

#include <iostream>

namespace usershell::ctl {

void mail_list(const Settings& settings, Arguments& arguments) {
    arguments.finish();
    OperatorStore store{settings};
    for (const store::MailRow& mail : store::list_mail(store)) {
        std::cout << mail.id << '\t' << mail.owner_email << '\t' << mail.kind << '\t' << mail.state
                  << '\t' << mail.attempts << " tries"
                  << (mail.next_attempt ? "\tnext " + rfc3339_seconds(*mail.next_attempt) : "")
                  << (mail.reason.empty() ? "" : "\t" + mail.reason) << '\n';
    }
}

} // namespace usershell::ctl
