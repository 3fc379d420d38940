#include "base/ascii.hpp"
#include "base/text.hpp"
#include "ctl/check/inspection.hpp"
#include "ctl/system/child.hpp"
#include "domain/address/address.hpp"
#include "domain/address/url.hpp"
#include "runtime/listener.hpp"
#include "store/installation.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>

#include <boost/url/parse.hpp>

#include <netdb.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

namespace usershell::ctl {

namespace {

/// The percentage that is free, of bytes and of inodes.
unsigned long percent_left(const struct statvfs& status) {
    const auto part = [](auto left, auto all) {
        return all == 0 ? 100UL : static_cast<unsigned long>(left) * 100 / all;
    };
    return std::min(part(status.f_bavail, status.f_blocks), part(status.f_favail, status.f_files));
}

constexpr const char* set_the_clock =
    "apt install systemd-timesyncd (if no other is there); timedatectl set-ntp true";

void compare_clocks(store::Lease& store, Findings& findings) {
    constexpr std::chrono::seconds most{5};
    const auto ahead = std::chrono::duration_cast<std::chrono::seconds>(
        store::database_time(store) - std::chrono::system_clock::now());
    findings.check(std::chrono::abs(ahead) <= most, "This machine and the database have one time.",
                   "The database's clock and this machine's differ by " +
                       std::to_string(std::abs(ahead.count())) + " s.",
                   std::string{"On both machines: "} + set_the_clock);
}

} // namespace

void check_clock(Inspection& inspection, Findings& findings) {
    if (inspection.store) compare_clocks(*inspection.store, findings);
    const auto synchronised =
        run_child({{"timedatectl", "show", "--property=NTPSynchronized", "--value"}, {}, {}});
    if (synchronised.status != 0)
        findings.skip("The clock's source", "timedatectl does not say");
    else
        findings.check(synchronised.output == "yes\n", "The clock is set by the network's time.",
                       "Nothing sets this machine's clock.", set_the_clock);
}

void check_disk(Inspection& inspection, Findings& findings) {
    constexpr unsigned long enough = 5;
    for (const std::string& folder : {inspection.settings.rings, std::string{"/var/log"},
                                      std::string{"/var/lib/postgresql"}, std::string{"/"}}) {
        struct statvfs status {};
        if (statvfs(folder.c_str(), &status) != 0) continue; // said elsewhere, if it matters
        const auto left = percent_left(status);
        findings.check(left >= enough,
                       std::to_string(left) + " % are free where " + folder + " is.",
                       "Only " + std::to_string(left) + " % are free where " + folder + " is.",
                       "du -x " + folder + " | sort -n | tail shows what to remove");
    }
}

namespace {

/// A socket of requests, and who may connect besides the user that it is of.
struct Socket {
    std::string program;
    std::string path;
    mode_t closed_to; ///< bits of the mode
    std::string_view mode;
};

void check_socket(const Socket& socket, Inspection& inspection, Findings& findings) {
    if (inspection.broken.contains(socket.program)) return; // said already
    const std::string start = restart_command(socket.program + ".socket");
    struct stat status {};
    if (stat(socket.path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) {
        findings.fault("There is no socket " + socket.path + ".", start);
        inspection.broken.insert(socket.program);
        return;
    }
    if ((status.st_mode & socket.closed_to) != 0)
        findings.fault("Others on this machine may connect to " + socket.path + ".",
                       "chmod " + std::string{socket.mode} + " " + socket.path);
    if (somebody_listens(socket.path)) {
        findings.good(socket.program + " is listened for at " + socket.path + ".");
    } else {
        findings.fault("Nobody listens at " + socket.path + ".", start);
        inspection.broken.insert(socket.program);
    }
}

/// A program that may connect there can have calls begun.
void check_openers_socket(Inspection& inspection, Findings& findings) {
    const Settings* const execute = inspection.settings_of(Program::execute);
    if (execute == nullptr) return;
    check_socket(
        {std::string{name_of(Program::opener)}, execute->opener_socket, S_IWGRP | S_IWOTH, "600"},
        inspection, findings);
}

} // namespace

void check_sockets(Inspection& inspection, Findings& findings) {
    for (const Program program : workers) {
        const Settings* const settings = inspection.settings_of(program);
        const bool own = settings != nullptr && !settings->socket.empty();
        check_socket(
            {std::string{name_of(program)},
             own ? settings->socket : inspection.sockets + "/" + short_name(program) + ".sock",
             S_IWOTH, "660"},
            inspection, findings);
    }
    check_openers_socket(inspection, findings);
}

namespace {

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

/// The resolver's answer of now; empty: it has no such name.
std::vector<Address> addresses_of(const std::string& host) {
    if (const auto literal = Address::parse(host)) return {*literal};
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return {};
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list{found, &freeaddrinfo};
    std::vector<Address> addresses;
    for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
        std::array<char, NI_MAXHOST> text{};
        if (getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0,
                        NI_NUMERICHOST) == 0)
            if (const auto address = Address::parse(text.data())) addresses.push_back(*address);
    }
    return addresses;
}

/// The networks that systemd lets a program reach although its unit denies them; null: it does not
/// run.
std::optional<std::string> networks_of(Program program, const Inspection& inspection) {
    const auto process = inspection.units.find(unit_of(program));
    const auto slice = inspection.units.find(std::string{name_of(program)} + ".slice");
    if (slice == inspection.units.end() || !slice->second.is_active()) return std::nullopt;
    const std::string of_process =
        process == inspection.units.end() ? "" : process->second["IPAddressAllow"];
    return of_process + " " + slice->second["IPAddressAllow"];
}

constexpr const char* look_up = "systemctl start usershell-addresses.service";

/// Addresses that the timer looks up every ten minutes.
void check_looked_up(Program program, const std::string& what,
                     const std::vector<Address>& addresses, const Inspection& inspection,
                     Findings& findings) {
    const auto networks = networks_of(program, inspection);
    if (!networks) return;
    for (const Address& address : addresses)
        if (!allows(*networks, address))
            findings.fault("systemd keeps " + std::string{name_of(program)} + " from the " + what +
                               " " + address.text() + ".",
                           look_up);
}

/// systemd refuses again what the setting egress-allow lets through.
void check_egress(const Inspection& inspection, Findings& findings) {
    const auto networks = networks_of(Program::execute, inspection);
    const Settings* const execute = inspection.settings_of(Program::execute);
    if (!networks || execute == nullptr) return;
    for (const std::string& row : execute->egress_allow) {
        std::string host = row.substr(0, row.rfind(':'));
        if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
        for (const Address& address : addresses_of(host.substr(0, host.find('/'))))
            if (!is_public(address) && !allows(*networks, address)) {
                const std::string folder = "/etc/systemd/system/usershell-execute@.service.d";
                const std::string network =
                    host.find('/') == std::string::npos ? address.text() : host;
                findings.fault("systemd keeps usershell-execute from " + network +
                                   ", which egress-allow lets through.",
                               "mkdir -p " + folder + " && printf '[Service]\\nIPAddressAllow=" +
                                   network + "\\n' >> " + folder +
                                   "/model-server.conf && systemctl daemon-reload && systemctl "
                                   "reload usershell-execute.service");
            }
    }
}

/// The mail server's name; empty: none is set.
std::string mail_host(const Inspection& inspection) {
    const Settings* const mail = inspection.settings_of(Program::mail);
    const auto url = boost::urls::parse_uri(mail == nullptr ? "" : mail->smtp_url);
    return url ? std::string{url->host_address()} : std::string{};
}

/// Of providers and of the mail server, as far as they have to be looked up.
std::set<std::string> hosts_of(Inspection& inspection) {
    std::set<std::string> hosts;
    if (inspection.store)
        for (const auto& url : store::some_base_urls(*inspection.store))
            hosts.insert(BaseUrl::parse(url).host());
    if (auto host = mail_host(inspection); !host.empty()) hosts.insert(std::move(host));
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
    for (const std::string& host : hosts_of(inspection)) {
        if (answers_for(host)) continue;
        findings.fault("No name server answers for " + host + ".",
                       std::string{"editor /etc/resolv.conf: name one that answers; "} + look_up);
        return;
    }
    findings.good("The names of providers can be looked up.");
}

} // namespace

void check_network(Inspection& inspection, Findings& findings) {
    ::setenv("RES_OPTIONS", "timeout:1 attempts:1", 1); // NOLINT(concurrency-mt-unsafe)
    check_looked_up(Program::execute, "name server", name_servers(), inspection, findings);
    check_looked_up(Program::mail, "mail server", addresses_of(mail_host(inspection)), inspection,
                    findings);
    check_egress(inspection, findings);
    check_names(inspection, findings);
}

} // namespace usershell::ctl
