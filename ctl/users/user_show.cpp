#include "ctl/command.hpp"
#include "ctl/table.hpp"
#include "ctl/users/users.hpp"
#include "store/providers/legacy.hpp"
#include "store/users/events.hpp"

#include <algorithm>

namespace usershell::ctl {

void user_show(const Settings& settings, Arguments& arguments) {
    Table table{arguments,
                {{"email"},
                 {"name"},
                 {"state"},
                 {"id"},
                 {"providers", "", " providers"},
                 {"sessions", "", " sessions"},
                 {"legacy", "", " older keys that did not fit"},
                 {"createdAt", "since "},
                 {"lastEventAt", "last event "}}};
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    const auto legacy = std::ranges::count(store::list_legacy_entries(store), user.email,
                                           &store::LegacyRow::owner_email);
    const auto events = store::list_events(store, user.id);
    table.add({user.email, user.display_name, std::string{state_of(user)}, user.id.text(),
               user.providers, user.sessions, static_cast<std::int64_t>(legacy),
               cell(user.created_at),
               events.empty() ? Cell{} : cell(events.back().event.happened_at)});
    table.print();
}

} // namespace usershell::ctl
