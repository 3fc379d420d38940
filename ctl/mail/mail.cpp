#include "ctl/command.hpp"
#include "ctl/table.hpp"
#include "store/outbox.hpp"

#include <iostream>

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

namespace {

MailId mail_argument(Arguments& arguments) {
    auto id = MailId::parse(arguments.next("ID"));
    if (!id) throw UsageError{"A mail's id is a UUID: see usershellctl mail."};
    return *std::move(id);
}

} // namespace

void mail_retry(const Settings& settings, Arguments& arguments) {
    const MailId mail = mail_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    if (!store::retry_mail(store, mail))
        throw Error{"No mail of that id is queued. A failed mail has no content any more: drop it, "
                    "and send a new one."};
    std::cout << "It is tried at once.\n";
}

void mail_drop(const Settings& settings, Arguments& arguments) {
    const MailId mail = mail_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    if (!store::drop_mail(store, mail)) throw Error{"There is no mail of that id."};
    std::cout << "Dropped it unsent.\n";
}

} // namespace usershell::ctl
