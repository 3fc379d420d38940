// The commands of usershellctl: a table with a row for each.
#pragma once

#include "ctl/arguments.hpp"
#include "domain/settings/config.hpp"

#include <span>
#include <string_view>

namespace usershell::ctl {

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
