#include "base/ascii.hpp"
#include "crypto/ring/files.hpp"
#include "ctl/command.hpp"
#include "ctl/rings/rings.hpp"
#include "ctl/system/child.hpp"
#include "ctl/table.hpp"
#include "store/installation.hpp"
#include "store/migrations/migrate.hpp"
#include "store/outbox.hpp"
#include "store/providers/legacy.hpp"
#include "store/rings.hpp"
#include "store/users/user_admin.hpp"

#include <algorithm>
#include <map>

namespace usershell::ctl {

namespace {

void add_versions(Table& table) {
    table.add({"version", std::string{USERSHELL_VERSION}});
    table.add({"schema", std::string{store::migrations().back().name}});
}

void add_units(Table& table) {
    const auto units = run_child(
        {{"systemctl", "list-units", "--plain", "--no-legend", "--no-pager", "usershell*"},
         {},
         {}});
    if (units.status != 0 || units.output.empty()) {
        table.add({"pools", "systemd does not say"});
        return;
    }
    for_each_piece(units.output, '\n', [&table](std::string_view line) {
        // UNIT LOAD ACTIVE SUB DESCRIPTION
        std::string words;
        for (int word = 0; word < 4 && !line.empty(); ++word) {
            const auto end = std::min(line.find(' '), line.size());
            if (word == 0 || word == 2)
                words += (word == 0 ? "" : " ") + std::string{line.substr(0, end)};
            line.remove_prefix(std::min(line.find_first_not_of(' ', end), line.size()));
        }
        if (!words.empty()) table.add({"pools", words});
    });
}

void add_rings(Table& table, const Settings& settings, store::Lease& store) {
    auto uses = store::ring_uses(store);
    for (const auto role : crypto::all_ring_roles) {
        for (const auto& key : crypto::RingFiles{role, settings.rings}.keys()) {
            const auto& count = uses[key.id.text()];
            table.add({"rings", std::string{crypto::name_of(role)} + " " + key.id.text() +
                                    (key.is_active ? " active, " : " kept, ") +
                                    std::to_string(count.keys) + " keys"});
        }
    }
}

/// A program that was not reloaded has other rings than the files, as a machine has that was left
/// out.
void add_machines(Table& table, const Settings& settings, store::Lease& store) {
    const auto own = rings_of_files(settings);
    std::map<std::string, std::string> differences; // of each machine
    for (const auto& found : store::list_machine_rings(store)) {
        auto& text = differences[found.machine];
        if (crypto::is_fingerprint_of(found.fingerprint, own.at(found.ring))) continue;
        text += (text.empty() ? "" : ", ") + found.program + " has another " + found.ring + " ring";
    }
    for (const auto& [machine, text] : differences)
        table.add({"machines", machine + ": " + (text.empty() ? "rings as here" : text)});
}

void add_queue(Table& table, store::Lease& store) {
    const auto mails = store::list_mail(store);
    const auto waiting = std::ranges::count(mails, "queued", &store::MailRow::state);
    table.add({"queue", std::to_string(waiting) + " mails wait"});
    for (const auto& mail : mails)
        if (mail.state == "failed")
            table.add({"failures", "mail " + mail.id + " was given up: " + mail.reason});
}

void add_legacy(Table& table, store::Lease& store) {
    std::map<std::string, int> reasons;
    for (const auto& entry : store::list_legacy_entries(store))
        ++reasons[entry.stays.empty() ? "wait for usershell-manage to start" : entry.stays];
    if (reasons.empty()) table.add({"legacy", "none left"});
    for (const auto& [reason, count] : reasons)
        table.add({"legacy", std::to_string(count) + " older keys: " + reason});
}

} // namespace

void status(const Settings& settings, Arguments& arguments) {
    Table table{arguments, {{"subject"}, {"state"}}};
    arguments.finish();
    add_versions(table);
    add_units(table);
    std::optional<OperatorStore> connected;
    try {
        connected.emplace(settings);
    } catch (const Error&) {
        table.print();
        throw;
    }
    store::Lease& store = *connected;
    table.add({"people", std::to_string(store::list_users(store).size())});
    add_rings(table, settings, store);
    add_machines(table, settings, store);
    add_legacy(table, store);
    add_queue(table, store);
    table.print();
}

} // namespace usershell::ctl
