#include "ctl/command.hpp"
#include "ctl/users.hpp"
#include "store/users/events.hpp"

#include <iostream>

namespace usershell::ctl {

void event_list(const Settings& settings, Arguments& arguments) {
    const auto email =
        arguments.empty() ? std::nullopt : std::optional{address_argument(arguments)};
    arguments.finish();
    OperatorStore store{settings};
    const auto user = email ? std::optional{user_argument(store, *email).id} : std::nullopt;
    for (const auto& [address, event] : store::list_events(store, user)) {
        std::cout << rfc3339_seconds(event.happened_at) << '\t' << address << '\t' << event.kind
                  << '\t' << event.about << '\t' << event.browser << '\t' << event.client_address
                  << '\n';
    }
}

} // namespace usershell::ctl
