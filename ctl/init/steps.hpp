// What `usershellctl init` does, a step each: what is to be done is found out first and said; then
// it is done. A step that finds its work done already says nothing and does nothing.
#pragma once

#include "base/settings/config.hpp"
#include "base/text.hpp"
#include "ctl/init/administrator.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace usershell::ctl {

/// The first person, if one is asked for.
struct FirstUser {
    EmailAddress email;
    std::string name;
};

struct Step {
    std::string says; ///< lines, each with its end
    std::function<void()> run;
};

/// The steps that are to be done, in order. The references outlive them. Throws Error when the
/// server or the rings are in a state from which none of them would lead on.
std::vector<Step> steps_to_do(const Settings& settings, const Administrator& administrator,
                              const std::optional<FirstUser>& user);

/// For a server on another machine: what its administrator has to do there, which nobody can do
/// from here. Lines.
std::string remote_advice(const Settings& settings);

} // namespace usershell::ctl
