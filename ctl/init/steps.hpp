// The steps of `usershellctl init`. First all steps that are needed are found and printed, then
// they are run. A step whose work is done already is left out.
#pragma once

#include "ctl/init/administrator.hpp"
#include "domain/email.hpp"
#include "domain/settings/config.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace usershell::ctl {

/// The first user, if the operator wants one to be added.
struct FirstUser {
    EmailAddress email;
    std::string name;
};

struct Step {
    std::string says; ///< what it will do, for the operator: lines, each ending in a newline
    std::function<void()> run;
};

/// The steps that are needed, in order. The references outlive them. Throws Error when the server
/// or the rings are in a state that no step can mend.
std::vector<Step> steps_to_do(const Settings& settings, const Administrator& administrator,
                              const std::optional<FirstUser>& user);

/// For a server on another machine: lines that say what its administrator has to do there, as it
/// can't be done from here.
std::string remote_advice(const Settings& settings);

} // namespace usershell::ctl
