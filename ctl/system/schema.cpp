#include "ctl/command.hpp"
#include "ctl/init/administrator.hpp"
#include "store/migrations/migrate.hpp"
#include "store/users/user_admin.hpp"

#include <algorithm>
#include <iostream>

namespace usershell::ctl {

void migrate_store(const Settings& settings, Arguments& arguments) {
    const bool only_here = arguments.flag("if-local");
    arguments.finish();
    if (only_here && !is_local(settings.database))
        throw Error{"The database is on another machine. Run: usershellctl migrate"};
    const auto applied = store::migrate(owner_connection(settings));
    for (const std::string& name : applied) std::cout << "Applied " << name << ".\n";
    if (applied.empty()) std::cout << "No migration is missing. The rights were granted again.\n";
}

namespace {

using Applied = std::vector<store::AppliedMigration>;

void require_allowed(const Applied& applied, const std::string& version) {
    for (const auto& migration : applied) {
        if (store::allows(migration.oldest_program, version)) continue;
        throw Error{"Programs of version " + version +
                        " can't run on this database: its migration " + migration.name + " needs " +
                        migration.oldest_program + " or later.",
                    Remedy::other_version};
    }
}

void require_complete(const Applied& applied) {
    for (const auto& ours : store::migrations()) {
        if (std::ranges::find(applied, ours.name, &store::AppliedMigration::name) == applied.end())
            throw Error{"The database lacks the migration " + std::string{ours.name} +
                            ". Run: usershellctl migrate",
                        Remedy::migrate};
    }
}

} // namespace

void show_schema(const Settings& settings, Arguments& arguments) {
    const auto version =
        arguments.empty() ? std::nullopt : std::optional{arguments.next("VERSION")};
    arguments.finish();
    const Applied applied = store::applied_migrations(owner_connection(settings));
    require_allowed(applied, version.value_or(USERSHELL_VERSION));
    if (!version) require_complete(applied);
    for (const auto& migration : applied)
        std::cout << migration.name << "\tfrom version " << migration.oldest_program << " on\n";
}

namespace {

/// A restored database does not know what happened after its backup, such as which keys were
/// deleted.
void tell_of_revived_keys(const store::RestoredState& state) {
    std::cout << "The newest thing that this database knows of happened "
              << (state.newest ? "at " + rfc3339_seconds(*state.newest) : "never") << ". Of its "
              << state.keys << " keys of " << state.people_with_keys
              << " people, those that were deleted or replaced after that are back as they were "
                 "then, and nothing here can tell which: ask these people to look at their "
                 "providers (usershellctl user list names them).\n";
}

} // namespace

void after_restore(const Settings& settings, Arguments& arguments) {
    const bool sure = arguments.flag("yes");
    arguments.finish();
    if (!sure) throw UsageError{"This signs everybody out; add --yes to do it."};
    OperatorStore store{settings};
    const auto state = store::restored_state(store);
    store::end_everything(store);
    std::cout << "Ended all sessions, mailed links, recovery codes and waiting mail. People "
                 "with a second factor get a mail: they make new recovery codes on the security "
                 "page, and "
                 "remove an app or a passkey that is back.\n";
    tell_of_revived_keys(state);
}

} // namespace usershell::ctl
