#include "base/error.hpp"
#include "ctl/command.hpp"
#include "ctl/table.hpp"
#include "ctl/users/users.hpp"

#include <iostream>

namespace usershell::ctl {

void user_factors(const Settings& settings, Arguments& arguments) {
    Table table{arguments, {{"factor"}, {"createdAt", "since "}, {"left", "", " left"}}};
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    for (const auto& factor : store::factors_of(store, user_argument(store, email).id))
        table.add({factor.what, cell(factor.made_at), factor.left ? Cell{*factor.left} : Cell{}});
    table.print();
}

void user_reset_factors(const Settings& settings, Arguments& arguments) {
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    if (!store::reset_factors(store, user.id)) throw Error{user.email + " has no second factor."};
    std::cout << "Removed the second factors and the recovery codes of " << user.email
              << "; their sessions, mailed links, access tokens and known browsers have ended.\n";
}

void policy_show(const Settings& settings, Arguments& arguments) {
    Table table{arguments,
                {{"secondFactor", "second factor "}, {"usersWithout", "", " users have none"}}};
    arguments.finish();
    OperatorStore store{settings};
    const auto policy = store::read_policy(store);
    table.add({policy.second_factor, policy.without_factor});
    table.print();
}

void policy_second_factor(const Settings& settings, Arguments& arguments) {
    const std::string choice = arguments.next("optional or required");
    arguments.finish();
    const bool required = choice == "required";
    if (!required && choice != "optional")
        throw UsageError{"A second factor is optional or required."};
    OperatorStore store{settings};
    store::set_second_factor(store, choice);
    std::cout
        << (required ? "A second factor is required. Users without one add it at the next sign-in. "
                       "Open sessions go on; usershellctl user sign-out --all --yes ends them.\n"
                     : "A second factor is optional. Users with one are still asked for it.\n");
}

} // namespace usershell::ctl
