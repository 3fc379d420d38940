#include "ctl/command.hpp"
#include "ctl/operator_store.hpp"
#include "store/outbox.hpp"

#include <iostream>
#include <stdexcept>

namespace usershell::ctl {

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
        throw std::runtime_error{
            "No mail of that id waits. One that was given up has no content any "
            "more: drop it, and send a new one."};
    std::cout << "It is tried at once.\n";
}

void mail_drop(const Settings& settings, Arguments& arguments) {
    const MailId mail = mail_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    if (!store::drop_mail(store, mail)) throw std::runtime_error{"There is no mail of that id."};
    std::cout << "Dropped it unsent.\n";
}

} // namespace usershell::ctl
