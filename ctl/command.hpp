// The commands of usershellctl, and what each is given: its words and the store.
#pragma once

#include "base/error.hpp"
#include "domain/settings/config.hpp"
#include "store/database/database.hpp"

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

struct Command {
    std::string_view words;     ///< "user add"
    std::string_view arguments; ///< for the help: "EMAIL --name NAME"
    std::string_view help;
    /// Does it, and prints what it did. Throws UsageError, Refusal or another exception with one
    /// sentence.
    void (*run)(const Settings& settings, Arguments& arguments);
};

/// In the order of --help.
std::span<const Command> commands();

void init(const Settings& settings, Arguments& arguments);
void check(const Settings& settings, Arguments& arguments);
void migrate_store(const Settings& settings, Arguments& arguments);
void show_schema(const Settings& settings, Arguments& arguments);
void ring_init(const Settings& settings, Arguments& arguments);
void ring_rotate(const Settings& settings, Arguments& arguments);
void ring_activate(const Settings& settings, Arguments& arguments);
void ring_copy(const Settings& settings, Arguments& arguments);
void ring_paste(const Settings& settings, Arguments& arguments);
void ring_list(const Settings& settings, Arguments& arguments);
void ring_resign(const Settings& settings, Arguments& arguments);
void ring_rewrap(const Settings& settings, Arguments& arguments);
void ring_drop(const Settings& settings, Arguments& arguments);
void user_add(const Settings& settings, Arguments& arguments);
void user_invite(const Settings& settings, Arguments& arguments);
void user_reset_mail(const Settings& settings, Arguments& arguments);
void user_show(const Settings& settings, Arguments& arguments);
void user_list(const Settings& settings, Arguments& arguments);
void user_passwd(const Settings& settings, Arguments& arguments);
void user_disable(const Settings& settings, Arguments& arguments);
void user_enable(const Settings& settings, Arguments& arguments);
void user_delete(const Settings& settings, Arguments& arguments);
void user_sessions(const Settings& settings, Arguments& arguments);
void user_sign_out(const Settings& settings, Arguments& arguments);
void token_list(const Settings& settings, Arguments& arguments);
void token_revoke(const Settings& settings, Arguments& arguments);
void after_restore(const Settings& settings, Arguments& arguments);
void event_list(const Settings& settings, Arguments& arguments);
void legacy_import(const Settings& settings, Arguments& arguments);
void manual(const Settings& settings, Arguments& arguments);
void completion(const Settings& settings, Arguments& arguments);
void mail_list(const Settings& settings, Arguments& arguments);
void mail_retry(const Settings& settings, Arguments& arguments);
void mail_drop(const Settings& settings, Arguments& arguments);
void status(const Settings& settings, Arguments& arguments);

} // namespace usershell::ctl
