// Shared by the commands about users.
#pragma once

#include "ctl/command.hpp"
#include "domain/email.hpp"
#include "domain/settings/config.hpp"
#include "store/users/user_admin.hpp"

#include <string>

namespace usershell::ctl {

/// The next word as an address. Throws UsageError.
EmailAddress address_argument(Arguments& arguments);

/// A display name. Throws UsageError when it is none.
std::string parse_name(const std::string& text);

/// The user with that address. Throws Error, which names the address, when there is none.
store::UserSummary user_argument(store::Lease& lease, const EmailAddress& address);

/// Asks for a new password of that person (terminal.hpp) and hashes it at the settings' cost.
/// Throws Error with the sentence of the rule that it breaks
/// (domain/passwords/password_rule.hpp).
std::string read_password_hash(const Settings& settings, const std::string& email,
                               const std::string& name);

} // namespace usershell::ctl
