#include "ctl/command.hpp"
#include "ctl/table.hpp"
#include "ctl/users/users.hpp"

namespace usershell::ctl {

void user_sessions(const Settings& settings, Arguments& arguments) {
    Table table{arguments,
                {{"signedInAt", "signed in "},
                 {"lastSeenAt", "last seen "},
                 {"expiresAt", "expires "},
                 {"remembered", "remembered"},
                 {"browser"},
                 {"clientAddress"}}};
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    for (const store::SessionRow& session : store::list_sessions(store, user.id))
        table.add({cell(session.signed_in_at), cell(session.last_seen_at), cell(session.expires_at),
                   session.remembered, session.browser, session.client_address});
    table.print();
}

} // namespace usershell::ctl
