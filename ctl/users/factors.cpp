#include "base/error.hpp"
#include "ctl/command.hpp"
#include "ctl/table.hpp"

#include <iostream>
#include <map>

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
                {{"secondFactor", "second factor "}, {"usersWithout", "", " users lack it"}}};
    arguments.finish();
    OperatorStore store{settings};
    const auto policy = store::read_policy(store);
    table.add({policy.second_factor, policy.without_factor});
    table.print();
}

void policy_second_factor(const Settings& settings, Arguments& arguments) {
    const std::string choice = arguments.next("optional, required or passkey");
    arguments.finish();
    const std::map<std::string, std::string> told{
        {"optional", "A second factor is optional. Users with one are still asked for it.\n"},
        {"required", "A second factor is required."},
        {"passkey", "A passkey is required."}};
    const auto found = told.find(choice);
    if (found == told.end())
        throw UsageError{"A second factor is optional, required or a passkey."};
    OperatorStore store{settings};
    store::set_second_factor(store, choice);
    std::cout << found->second;
    if (choice != "optional")
        std::cout << " Users without one add it at the next sign-in. Open sessions go on; "
                     "usershellctl user sign-out --all --yes ends them.\n";
}

} // namespace usershell::ctl
