// Is the separation in force that was shipped? Each unit is compared with one that systemd reads
// from the package's files alone; users and groups are compared with each other.
#include "base/ascii.hpp"
#include "ctl/check/inspection.hpp"
#include "ctl/init/administrator.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

namespace usershell::ctl {

namespace {

const std::string shipped_folder = "/usr/lib/systemd/system/";
constexpr const char* again = "apt install --reinstall ./usershell_*.deb";

/// How a property may differ from the shipped one without taking protection away.
enum class Rule {
    same,       ///< not at all, but for "yes"
    part_of,    ///< by fewer words
    covers,     ///< by more words
    at_least,   ///< a larger number
    at_most,    ///< a smaller one
    no_network, ///< by more words, but for a whole network
};

struct Property {
    std::string_view name;
    Rule rule;
    bool for_remote_database = false; ///< operations.md, "Several machines", changes it
};
constexpr std::array properties{
    Property{"User", Rule::same},
    Property{"Group", Rule::same},
    Property{"SupplementaryGroups", Rule::part_of},
    Property{"LoadCredential", Rule::part_of},
    Property{"ReadWritePaths", Rule::part_of},
    Property{"BindPaths", Rule::part_of},
    Property{"NoNewPrivileges", Rule::same},
    Property{"CapabilityBoundingSet", Rule::part_of},
    Property{"AmbientCapabilities", Rule::part_of},
    Property{"RestrictSUIDSGID", Rule::same},
    Property{"PrivateUsers", Rule::same},
    Property{"SystemCallFilter", Rule::part_of},
    Property{"SystemCallArchitectures", Rule::part_of},
    Property{"MemoryDenyWriteExecute", Rule::same},
    Property{"LockPersonality", Rule::same},
    Property{"RestrictRealtime", Rule::same},
    Property{"RestrictNamespaces", Rule::part_of},
    Property{"KeyringMode", Rule::same},
    Property{"PrivateIPC", Rule::same},
    Property{"ProtectSystem", Rule::same},
    Property{"UMask", Rule::same},
    Property{"ProtectHome", Rule::same},
    Property{"PrivateTmp", Rule::same},
    Property{"PrivateMounts", Rule::same},
    Property{"PrivateDevices", Rule::same},
    Property{"DevicePolicy", Rule::same},
    Property{"ProtectProc", Rule::same},
    Property{"ProcSubset", Rule::same},
    Property{"ProtectClock", Rule::same},
    Property{"ProtectHostname", Rule::same},
    Property{"ProtectKernelLogs", Rule::same},
    Property{"ProtectKernelModules", Rule::same},
    Property{"ProtectKernelTunables", Rule::same},
    Property{"ProtectControlGroups", Rule::same},
    Property{"LimitMEMLOCK", Rule::at_least},
    Property{"LimitCORE", Rule::at_most},
    Property{"MemorySwapMax", Rule::at_most},
    Property{"PrivateNetwork", Rule::same, true},
    Property{"RestrictAddressFamilies", Rule::part_of, true},
    Property{"IPAddressDeny", Rule::covers},
    Property{"IPAddressAllow", Rule::no_network},
    Property{"SocketUser", Rule::same},
    Property{"SocketGroup", Rule::same},
    Property{"SocketMode", Rule::same},
};

std::string all_properties() {
    std::string names = "FragmentPath,DropInPaths,LoadState";
    for (const Property& each : properties) names += "," + std::string{each.name};
    return names;
}

std::set<std::string> words_in(const std::string& list) {
    std::set<std::string> words;
    for_each_piece(list, ' ', [&words](std::string_view word) {
        if (!word.empty()) words.emplace(word);
    });
    return words;
}

/// The names of credentials, wherever they come from: a ring may lie encrypted. systemctl shows
/// none, so they are read in the files, in systemd's order; an empty line forgets those before.
std::string credentials_of(const Unit& unit) {
    std::map<std::string, std::set<std::string>> names; // by directive
    for_each_piece(unit["FragmentPath"] + " " + unit["DropInPaths"], ' ',
                   [&](std::string_view file) {
                       for_each_piece(text_of(std::string{file}), '\n', [&](std::string_view line) {
                           const auto equals = line.find('=');
                           const auto directive = line.substr(0, equals);
                           if (equals == std::string_view::npos ||
                               directive.find("Credential") == std::string_view::npos ||
                               directive.starts_with('#'))
                               return;
                           const auto value = trim_blanks(line.substr(equals + 1));
                           auto& of_directive = names[std::string{directive}];
                           if (value.empty())
                               of_directive.clear();
                           else
                               of_directive.emplace(value.substr(0, value.find(':')));
                       });
                   });
    std::set<std::string> all;
    for (const auto& [directive, of_directive] : names)
        all.insert(of_directive.begin(), of_directive.end());
    std::string list;
    for (const auto& name : all) list += (list.empty() ? "" : " ") + name;
    return list;
}

std::string value_of(const Unit& unit, const Property& property) {
    return property.name.starts_with("LoadCredential") ? credentials_of(unit) : unit[property.name];
}

double number_of(const std::string& text) {
    const auto number = parse_number<std::uint64_t>(text);
    return number ? static_cast<double>(*number) : HUGE_VAL; // "infinity"
}

bool holds(const Property& property, const std::string& value, const std::string& shipped) {
    const auto words = words_in(value), shipped_words = words_in(shipped);
    switch (property.rule) {
    case Rule::same:
        return value == shipped || value == "yes";
    case Rule::part_of:
        return std::ranges::includes(shipped_words, words);
    case Rule::covers:
        return std::ranges::includes(words, shipped_words);
    case Rule::at_least:
        return number_of(value) >= number_of(shipped);
    case Rule::at_most:
        return number_of(value) <= number_of(shipped);
    case Rule::no_network:
        return std::ranges::none_of(words, [&](const std::string& word) {
            return word.ends_with("/0") && !shipped_words.contains(word);
        });
    }
    return false;
}

/// The operator's files that set the property.
std::string files_with(std::string_view property, const Unit& unit) {
    std::string files;
    for (const std::string& file : words_in(unit["FragmentPath"] + " " + unit["DropInPaths"]))
        if (!file.starts_with("/usr/lib/") && !file.starts_with("/lib/") &&
            ("\n" + text_of(file)).find("\n" + std::string{property} + "=") != std::string::npos)
            files += " " + file;
    return files;
}

std::string remedy_for(const std::string& name, const Property& property, const Unit& unit) {
    const std::string word{property.name};
    const std::string files = files_with(word, unit);
    if (files.empty()) return again;
    return "sed -i '/^" + word + "=/d'" + files + " && systemctl daemon-reload && " +
           restart_command(name);
}

void compare(const std::string& name, const Unit& unit, const Unit& shipped, bool is_remote,
             Findings& findings) {
    for (const Property& property : properties) {
        const std::string value = value_of(unit, property), wanted = value_of(shipped, property);
        if ((is_remote && property.for_remote_database) || holds(property, value, wanted)) continue;
        const bool is_short = value.size() + wanted.size() < 80;
        findings.fault(name + " has less protection than is shipped: " +
                           std::string{property.name} + "=" + (is_short ? value : "…") +
                           (is_short ? ", not " + (wanted.empty() ? "empty" : wanted) : "") + ".",
                       remedy_for(name, property, unit));
    }
}

/// usershell-auth@1.service comes from usershell-auth@.service.
std::string file_of(const std::string& name) {
    const auto at = name.find('@');
    return at == std::string::npos ? name : name.substr(0, at + 1) + name.substr(name.rfind('.'));
}

std::vector<std::string> compared_units(const Inspection& inspection) {
    std::set<std::string> names{"usershell-mail.service", "usershell-rewrap.service",
                                "usershell-resign@1.service"};
    for (const Program program : servers) {
        names.insert(unit_of(program));
        names.insert(std::string{name_of(program)} + ".socket");
    }
    for (const auto& [name, unit] : inspection.units)
        if (name.starts_with("usershell-") && name.find('@') != std::string::npos &&
            name.ends_with(".service") && unit.is_active())
            names.insert(name);
    return {names.begin(), names.end()};
}

/// Returns the users that they shall have.
std::set<std::string> compare_units(const Inspection& inspection, Findings& findings) {
    const auto names = compared_units(inspection);
    const Units in_force = show_units(names, all_properties());
    const auto has_file = [](const auto& entry) { return !entry.second["FragmentPath"].empty(); };
    if (std::ranges::none_of(in_force, has_file)) return {};
    std::map<std::string, TemporaryUnit> copies; // of the package's files
    std::vector<std::string> copy_names;
    const std::string drop_in = shipped_folder + "usershell-.service.d/00-hardening.conf";
    const std::string hardening = text_of(drop_in);
    if (hardening.empty()) findings.fault(drop_in + " is missing.", again);
    for (const std::string& name : names) {
        const std::string text = text_of(shipped_folder + file_of(name));
        const std::string copy = "shipped-" + std::to_string(getpid()) + "-" + name;
        copies.try_emplace(name, copy, text + (name.ends_with(".service") ? "\n" + hardening : ""));
        copy_names.push_back(copy);
        if (text.empty()) findings.fault(shipped_folder + file_of(name) + " is missing.", again);
    }
    const Units shipped = show_units(copy_names, all_properties());
    const bool is_remote = !is_local(inspection.settings.database);
    std::set<std::string> users;
    for (const std::string& name : names) {
        const auto unit = in_force.find(name);
        const auto copy = shipped.find(copies.at(name).name());
        if (unit == in_force.end() || copy == shipped.end()) continue;
        if (const std::string& user = copy->second["User"]; !user.empty()) users.insert(user);
        if (unit->second["LoadState"] == "loaded" && copy->second["LoadState"] == "loaded")
            compare(name, unit->second, copy->second, is_remote, findings);
    }
    return users;
}

/// Each is in its own group alone, and that group has no other member.
void check_groups(const std::set<std::string>& users, Findings& findings) {
    setgrent();
    for (const group* each = getgrent(); each != nullptr; each = getgrent()) {
        const std::string name{each->gr_name};
        for (char** member = each->gr_mem; *member != nullptr; ++member) {
            if (name == *member || (!users.contains(name) && !users.contains(*member))) continue;
            findings.fault("The user " + std::string{*member} + " is in the group " + name + ".",
                           "gpasswd --delete " + std::string{*member} + " " + name +
                               " && systemctl try-restart 'usershell-*@*.service'");
        }
    }
    endgrent();
}

void check_ids(const std::set<std::string>& users, Findings& findings) {
    std::map<uid_t, std::string> owners{{0, "root"}};
    for (const std::string& user : users) {
        const passwd* const found = getpwnam(user.c_str());
        if (found == nullptr) {
            findings.fault("The system has no user " + user + ".", "systemd-sysusers");
            continue;
        }
        const auto [other, is_alone] = owners.emplace(found->pw_uid, user);
        if (!is_alone)
            findings.fault("The users " + other->second + " and " + user +
                               " are one for the system.",
                           "userdel " + user + "; systemd-sysusers");
    }
}

} // namespace

void check_separation(Inspection& inspection, Findings& findings) {
    inspection.units = own_units();
    if (inspection.units.empty()) {
        findings.skip("The separation", "systemd does not run here");
        return;
    }
    const auto users = compare_units(inspection, findings);
    check_ids(users, findings);
    check_groups(users, findings);
    if (findings.all().empty())
        findings.good("Units, users and groups keep the programs apart as shipped.");
}

} // namespace usershell::ctl
