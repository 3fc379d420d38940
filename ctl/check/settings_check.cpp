#include "base/ascii.hpp"
#include "base/text.hpp"
#include "ctl/check/inspection.hpp"
#include "domain/address/address.hpp"
#include "domain/address/url.hpp"
#include "pages/templates.hpp"
#include "store/database/conninfo.hpp"
#include "store/installation.hpp"

#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>

#include <boost/url/parse.hpp>
#include <netdb.h>
#include <sys/stat.h>
#include <unistd.h>

namespace usershell::ctl {

namespace {

Settings read(Program program, const std::string& path) {
    const std::array<const char*, 3> words{name_of(program).data(), "--config", path.c_str()};
    return read_settings(program, static_cast<int>(words.size()), words.data()).settings;
}

/// Write access to a settings file could send keys elsewhere; read access shows its passwords.
void check_access(const std::string& path, const Settings& settings, Findings& findings) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return;
    const auto in_database = [&settings](const char* keyword) {
        return !store::keyword(settings.database, keyword).empty();
    };
    const bool has_secret =
        !settings.smtp_password.empty() || in_database("password") || in_database("sslpassword");
    if (status.st_uid != 0 && status.st_uid != geteuid())
        findings.fault(path + " belongs to another user than root.", "chown root " + path);
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        findings.fault("Others than its owner may write " + path + ".", "chmod go-w " + path);
    if (has_secret && (status.st_mode & S_IROTH) != 0)
        findings.fault("Everybody may read the password in " + path + ".", "chmod o-r " + path);
}

void check_addresses(const Inspection& inspection, Findings& findings) {
    std::string known =
        inspection.settings.base_url; // usershellctl's, of invitations; may be empty
    for (const auto& [program, settings] : inspection.programs) {
        if (program == Program::mail || program == Program::opener) continue; // read none
        const std::string who{name_of(program)};
        if (settings.base_url.empty())
            findings.fault("The setting base-url of " + who + " is empty.",
                           "Write the address of the service into its file.");
        else if (!settings.base_url.starts_with("https://"))
            findings.fault("The base-url of " + who + " is not https.",
                           "Browsers send the service's cookies over https alone: change it.");
        else if (!known.empty() && known != settings.base_url)
            findings.fault("The programs have different base-urls.",
                           "Write the same one into auth.conf, manage.conf, execute.conf and "
                           "ctl.conf.");
        known = settings.base_url;
    }
}

/// These two read what providers they may call, each from its own file.
void check_egress(const Inspection& inspection, Findings& findings) {
    const Settings* const manage = inspection.settings_of(Program::manage);
    const Settings* const execute = inspection.settings_of(Program::execute);
    if (manage == nullptr || execute == nullptr) return;
    const auto rows = [](const Settings& settings) {
        return std::set<std::string>{settings.egress_allow.begin(), settings.egress_allow.end()};
    };
    if (rows(*manage) != rows(*execute))
        findings.fault(
            "The settings egress-allow of usershell-manage and usershell-execute differ.",
            "Write the same lines into manage.conf and execute.conf.");
}

} // namespace

void check_settings(Inspection& inspection, Findings& findings) {
    check_access(inspection.folder + "/ctl.conf", inspection.settings, findings);
    for (const Program program : all_programs) {
        if (program == Program::ctl) continue; // has read its own
        const std::string path = inspection.folder + "/" + short_name(program) + ".conf";
        try {
            const auto& settings =
                inspection.programs.emplace(program, read(program, path)).first->second;
            findings.good(path + " is understood.");
            check_access(path, settings, findings);
        } catch (const Error& error) { // of the setting `database`, too
            findings.fault(error.what(), "Mend it; " + std::string{name_of(program)} +
                                             " does not start with it.");
        }
    }
    check_addresses(inspection, findings);
    check_egress(inspection, findings);
}

void check_files(Inspection& inspection, Findings& findings) {
    const std::string again = "Install the package again, or mend the setting ";
    for (const Program program : {Program::auth, Program::manage}) {
        const Settings* const settings = inspection.settings_of(program);
        if (settings == nullptr) continue;
        try {
            pages::load_pages(settings->templates, settings->catalogue_base_url);
            findings.good("The templates of " + std::string{name_of(program)} + " are whole.");
        } catch (const Error& error) {
            findings.fault("usershell-" + short_name(program) + " does not start: " + error.what() +
                               ".",
                           again + "templates.");
        }
    }
    const Settings* const auth = inspection.settings_of(Program::auth);
    if (auth == nullptr) return;
    const std::string& list = auth->common_passwords;
    findings.check(std::ifstream{list}.good(), "The list of common passwords is there.",
                   "The list of common passwords " + list + " can't be read.",
                   again + "common-passwords.");
}

namespace {

constexpr const char* slice = "usershell-execute.slice";

std::vector<Address> name_servers() {
    std::vector<Address> servers;
    std::ifstream file{"/etc/resolv.conf"};
    for (std::string line; std::getline(file, line);) {
        constexpr std::string_view word = "nameserver ";
        if (!line.starts_with(word)) continue;
        const auto text = trim(std::string_view{line}.substr(word.size()));
        if (const auto address = Address::parse(text)) servers.push_back(*address);
    }
    return servers;
}

/// Is the address in one of the networks of an IPAddressAllow, "10.0.0.0/8 ::1/128"?
bool allows(std::string_view networks, const Address& address) {
    bool found = false;
    for_each_piece(networks, ' ', [&](std::string_view network) {
        const auto slash = network.find('/');
        const auto base = Address::parse(network.substr(0, slash));
        const auto bits = slash == std::string_view::npos
                              ? std::nullopt
                              : parse_number<unsigned>(network.substr(slash + 1));
        if (base && address.in(*base, bits.value_or(base->is_v4() ? 32 : 128))) found = true;
    });
    return found;
}

/// systemd refuses again what the setting egress-allow lets through.
void check_address_lists(const Inspection& inspection, Findings& findings) {
    const auto of_slice = inspection.units.find(slice);
    if (of_slice == inspection.units.end() || of_slice->second.active != "active") return;
    for (const Address& server : name_servers())
        if (!allows(of_slice->second.allow, server))
            findings.fault("systemd keeps usershell-execute from the name server " + server.text() +
                               ".",
                           "systemctl start usershell-addresses.service");
    const auto process = inspection.units.find("usershell-execute@1.service");
    const Settings* const execute = inspection.settings_of(Program::execute);
    if (process == inspection.units.end() || execute == nullptr) return;
    for (const std::string& row : execute->egress_allow) {
        auto host = std::string_view{row}.substr(0, row.rfind(':'));
        if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
        const auto address = Address::parse(host.substr(0, host.find('/')));
        if (address && !is_public(*address) && !allows(process->second.allow, *address) &&
            !allows(of_slice->second.allow, *address))
            findings.fault("systemd keeps usershell-execute from " + std::string{host} +
                               ", which egress-allow lets through.",
                           "Name it in a drop-in (IPAddressAllow=): operations.md, \"A local model "
                           "server\".");
    }
}

/// Of providers and of the mail server, as far as they have to be looked up.
std::set<std::string> hosts_of(Inspection& inspection) {
    std::set<std::string> hosts;
    if (inspection.store)
        for (const auto& url : store::some_base_urls(*inspection.store))
            hosts.insert(BaseUrl::parse(url).host());
    const Settings* const mail = inspection.settings_of(Program::mail);
    if (const auto url = boost::urls::parse_uri(mail == nullptr ? "" : mail->smtp_url))
        hosts.insert(url->host_address());
    std::erase_if(hosts, [](const std::string& host) {
        return is_loopback_host(host) || Address::parse(host).has_value();
    });
    return hosts;
}

/// A name that does not exist is an answer.
bool answers_for(const std::string& host) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found);
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list{found, &freeaddrinfo};
    return error != EAI_AGAIN;
}

void check_names(Inspection& inspection, Findings& findings) {
    ::setenv("RES_OPTIONS", "timeout:1 attempts:1", 1); // NOLINT(concurrency-mt-unsafe)
    for (const std::string& host : hosts_of(inspection)) {
        if (answers_for(host)) continue;
        findings.fault("No name server answers for " + host + ".",
                       "Name one in /etc/resolv.conf that answers; then systemctl start "
                       "usershell-addresses.service");
        return;
    }
    findings.good("The names of providers can be looked up.");
}

} // namespace

void check_network(Inspection& inspection, Findings& findings) {
    check_address_lists(inspection, findings);
    check_names(inspection, findings);
}

} // namespace usershell::ctl
