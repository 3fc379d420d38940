#include "ctl/command.hpp"
#include "ctl/init/steps.hpp"
#include "ctl/operator_store.hpp"
#include "ctl/rings/rings.hpp"
#include "ctl/terminal.hpp"
#include "ctl/users/users.hpp"

#include <iostream>

namespace usershell::ctl {

namespace {

std::optional<FirstUser> first_user(Arguments& arguments) {
    auto email = arguments.option("user");
    auto name = arguments.option("name");
    if (!email && !name) return std::nullopt;
    if (!email || !name) throw UsageError{"--user and --name are given together."};
    auto address = parse_email(*email);
    if (!address) throw UsageError{"That is no e-mail address."};
    return FirstUser{*std::move(address), parse_name(*name)};
}

void report(bool done_something) {
    std::cout << (done_something ? "Done." : "Nothing to do: everything is there.")
              << " usershellctl check shows whether all is well.\n";
}

} // namespace

void init(const Settings& settings, Arguments& arguments) {
    const bool sure = arguments.flag("yes");
    const auto connection = arguments.option("administrator");
    const auto user = first_user(arguments);
    arguments.finish();
    const Administrator administrator{settings, connection};
    const auto steps = steps_to_do(settings, administrator, user);
    std::cout << remote_advice(settings);
    for (const Step& step : steps) std::cout << step.says;
    std::cout << std::flush;
    if (!steps.empty() && !may_go_on(sure)) throw Error{"Nothing was done."};
    for (const Step& step : steps) step.run();
    OperatorStore store{settings};
    require_whole_rings(settings, store);
    report(!steps.empty());
}

} // namespace usershell::ctl
