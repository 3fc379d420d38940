// What the commands about people share.
#pragma once

#include "base/settings/config.hpp"
#include "base/text.hpp"
#include "crypto/password.hpp"
#include "crypto/secret.hpp"
#include "ctl/arguments.hpp"
#include "store/database/database.hpp"
#include "store/users/user_admin.hpp"

#include <string>

namespace usershell::ctl {

/// The store as the operator's role sees it, for one command. Throws std::runtime_error when it
/// can't be reached or has another schema.
class OperatorStore {
public:
    explicit OperatorStore(const Settings& settings);
    operator store::Lease&() {
        return lease_;
    } // NOLINT(google-explicit-constructor): stands for its lease

private:
    store::Database database_;
    store::Lease lease_;
};

/// The next word as an address. Throws UsageError.
EmailAddress address_argument(Arguments& arguments);

/// The person of the next word's address. Throws std::runtime_error naming the address when there
/// is none.
store::UserSummary user_argument(store::Lease& lease, const EmailAddress& address);

/// Asks for a new password of that person (terminal.hpp) and hashes it at the settings' cost.
/// Throws std::runtime_error with the sentence of the rule that it breaks
/// (base/passwords/password_rule.hpp).
std::string read_password_hash(const Settings& settings, const std::string& email,
                               const std::string& name);

/// Sends somebody a link with which they choose a password. Throws UsageError when no mail can be
/// sent.
void send_invitation(const Settings& settings, store::Lease& lease, const UserId& user,
                     const std::string& display_name, const EmailAddress& address);

} // namespace usershell::ctl
