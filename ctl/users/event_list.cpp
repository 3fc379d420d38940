#include "ctl/command.hpp"
#include "ctl/table.hpp"
#include "ctl/users/users.hpp"
#include "store/users/events.hpp"

namespace usershell::ctl {

void event_list(const Settings& settings, Arguments& arguments) {
    Table table{arguments,
                {{"happenedAt"}, {"email"}, {"kind"}, {"about"}, {"browser"}, {"clientAddress"}}};
    const auto email =
        arguments.empty() ? std::nullopt : std::optional{address_argument(arguments)};
    arguments.finish();
    OperatorStore store{settings};
    const auto user = email ? std::optional{user_argument(store, *email).id} : std::nullopt;
    for (const auto& [address, event] : store::list_events(store, user))
        table.add({cell(event.happened_at), address, event.kind, event.about, event.browser,
                   event.client_address});
    table.print();
}

} // namespace usershell::ctl
