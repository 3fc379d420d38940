// The commands of usershellctl, and what each is given: its words and the store.
#pragma once

#include "base/error.hpp"
#include "domain/email.hpp"
#include "domain/settings/config.hpp"
#include "store/database/database.hpp"
#include "store/users/user_admin.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::ctl {

// The words after a command's name: plain ones and `--option VALUE` or `--option=VALUE`, in any
// order. A command takes the words that it knows and then calls finish(), which refuses what is
// left.

/// The command line can't be understood; what() is one sentence. usershellctl exits with 2.
class UsageError : public Error {
public:
    using Error::Error;
};

class Arguments {
public:
    explicit Arguments(std::vector<std::string> words);

    /// Removes and returns the value of `--name`, or null. Throws UsageError when the option is
    /// given twice or without a value.
    std::optional<std::string> option(std::string_view name);

    /// Removes `--name`, which takes no value. True when it was given.
    bool flag(std::string_view name);

    /// Removes and returns the next plain word. `what` names it in the UsageError when it is
    /// missing.
    std::string next(std::string_view what);

    /// Are no words left?
    bool empty() const { return words_.empty(); }

    /// Throws UsageError when something is left.
    void finish() const;

private:
    std::vector<std::string> words_;
};

// The store as the operator's role sees it, for one command.

/// The setting `database` for an operator: role usershell_owner unless the string names a user
/// itself.
std::string owner_connection(const Settings& settings);

/// Throws Error when the store can't be reached or has another schema.
class OperatorStore {
public:
    explicit OperatorStore(const Settings& settings);
    operator store::Lease&() {
        return lease_;
    } // NOLINT(google-explicit-constructor): is used as one

private:
    store::Database database_;
    store::Lease lease_;
};

// The commands of usershellctl: a table with a row for each.

/// Does it, and prints what it did. Throws UsageError, Refusal or another exception with one
/// sentence.
using Run = void(const Settings& settings, Arguments& arguments);

struct Command {
    std::string_view words;     ///< "user add"
    std::string_view arguments; ///< for the help: "EMAIL --name NAME"
    std::string_view help;
    Run* run;
};

/// In the order of --help.
std::span<const Command> commands();

Run init, check, migrate_store, show_schema, ring_init, ring_rotate, ring_activate, ring_copy,
    ring_paste, ring_list, ring_resign, ring_rewrap, ring_drop, user_add, user_invite,
    user_reset_mail, user_show, user_list, user_passwd, user_disable, user_enable, user_delete,
    user_sessions, user_sign_out, user_factors, user_reset_factors, policy_show,
    policy_second_factor, token_list, token_revoke, after_restore, event_list, legacy_import,
    manual, completion, mail_list, mail_retry, mail_drop, status;

// Shared by the commands about users.

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
