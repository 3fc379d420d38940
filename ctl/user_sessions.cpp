#include "ctl/command.hpp"
#include "ctl/users.hpp"

#include <iostream>

namespace usershell::ctl {

void user_sessions(const Settings& settings, Arguments& arguments) {
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    for (const store::SessionRow& session : store::list_sessions(store, user.id)) {
        std::cout << "signed in " << rfc3339_seconds(session.signed_in_at) << "\tlast seen "
                  << rfc3339_seconds(session.last_seen_at) << "\texpires "
                  << rfc3339_seconds(session.expires_at)
                  << (session.remembered ? "\tremembered" : "") << '\t' << session.browser << '\t'
                  << session.client_address << '\n';
    }
}

} // namespace usershell::ctl
