#include "base/ascii.hpp"
#include "base/text.hpp"
#include "ctl/check/inspection.hpp"
#include "domain/address/address.hpp"
#include "domain/address/url.hpp"
#include "store/inspection.hpp"

#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>

#include <boost/url/parse.hpp>

#include <netdb.h>

namespace usershell::ctl {

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
