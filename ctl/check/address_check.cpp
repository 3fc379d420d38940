#include "ctl/check/curl.hpp"
#include "ctl/check/inspection.hpp"

#include <array>
#include <chrono>
#include <ctime>

namespace usershell::ctl {

namespace {

/// A request without a session, and the expected answer.
struct Probe {
    const char* path;
    bool is_post;
    int status;
    const char* program;
    const char* policy; ///< a piece of its Content-Security-Policy
};
constexpr std::array probes{
    Probe{"/auth/login", false, 200, "usershell-auth", "form-action 'self'"},
    Probe{"/user/settings/security", false, 302, "usershell-auth", "form-action 'self'"},
    Probe{"/user/providers/list", false, 401, "usershell-manage", "form-action 'self'"},
    Probe{"/user/providers/test-batch", true, 401, "usershell-execute", "sandbox"},
    Probe{"/user/vault", false, 404, "usershell-manage", "form-action 'self'"},
};

struct Header {
    const char* name;
    const char* piece;
};
constexpr std::array headers{Header{"strict-transport-security", "max-age="},
                             Header{"x-content-type-options", "nosniff"},
                             Header{"x-request-id", ""}, Header{"referrer-policy", ""},
                             Header{"cross-origin-opener-policy", "same-origin"}};

constexpr const char* compare_site =
    "Compare nginx's site with the package's (/usr/share/usershell/nginx), then nginx -t and "
    "systemctl reload nginx.";

void check_status(const Probe& probe, const CurlAnswer& answer, Findings& findings) {
    const std::string where = std::string{probe.path} + " answers " + std::to_string(answer.status);
    const std::string program = probe.program;
    const std::string unit = program + ".socket";
    if (answer.status == probe.status)
        findings.good(where + ".");
    else if (answer.status >= 502 && answer.status <= 504)
        findings.fault(where + ": " + program + " is not there.",
                       "systemctl restart " + unit + "; journalctl -u '" + program + "*'");
    else
        findings.fault(where + " in place of " + std::to_string(probe.status) + ".", compare_site);
}

/// nginx adds these headers to every answer.
void check_headers(const Probe& probe, const CurlAnswer& answer, Findings& findings) {
    const auto has = [&answer](const std::string& name, std::string_view piece) {
        const auto found = answer.headers.find(name);
        return found != answer.headers.end() && found->second.find(piece) != std::string::npos;
    };
    for (const auto& [name, piece] : headers)
        if (!has(name, piece))
            findings.fault(std::string{probe.path} + " comes without a good header " + name + ".",
                           compare_site);
    if (!has("content-security-policy", probe.policy))
        findings.fault(std::string{probe.path} + " does not come by the way of " + probe.program +
                           " (its Content-Security-Policy is another).",
                       compare_site);
}

/// Days until the end. Null when curl writes it in an unknown format.
std::optional<long> days_until(const std::string& end) {
    std::tm parts{};
    if (strptime(end.c_str(), "%b %d %H:%M:%S %Y GMT", &parts) == nullptr) return std::nullopt;
    const auto moment = std::chrono::system_clock::from_time_t(timegm(&parts));
    return std::chrono::floor<std::chrono::days>(moment - std::chrono::system_clock::now()).count();
}

void check_certificate(const CurlAnswer& answer, Findings& findings) {
    constexpr long enough = 14;
    const auto days = days_until(answer.certificate_end);
    if (!days) {
        findings.skip("The certificate's end", "curl does not say it");
        return;
    }
    const std::string when = std::to_string(*days) + " days";
    findings.judge(*days >= enough, "The certificate is good for " + when + ".",
                   "The certificate ends in " + when + ".",
                   "Renew it (certbot renew), then systemctl reload nginx.");
}

CurlAnswer ask(const Inspection& inspection, const std::string& base, const Probe& probe) {
    std::vector<std::string> options{
        curl_option("url", base + probe.path), curl_option("dump-header", "-"),
        curl_option("output", "/dev/null"), curl_option("write-out", "%{certs}")};
    if (probe.is_post) options.push_back(curl_option("data", ""));
    if (!inspection.authority.empty())
        options.push_back(curl_option("cacert", inspection.authority));
    return ask_by_curl(options);
}

std::string remedy_for(int curl_exit) {
    constexpr int cannot_resolve = 6, bad_certificate = 60;
    if (curl_exit == cannot_resolve) return "Have the name point to this machine (DNS).";
    if (curl_exit == bad_certificate)
        return "Give nginx a certificate for that name that browsers trust, with its whole chain "
               "(certbot).";
    return "systemctl status nginx; does base-url name the right port, does a firewall let it "
           "through?";
}

} // namespace

void check_address(Inspection& inspection, Findings& findings) {
    const auto manage = inspection.programs.find(Program::manage);
    if (manage == inspection.programs.end() || manage->second.base_url.empty()) {
        findings.skip("The service's address", "base-url is not known");
        return;
    }
    const std::string& base = manage->second.base_url;
    for (const Probe& probe : probes) {
        const auto answer = ask(inspection, base, probe);
        if (answer.exit != 0) {
            findings.fault(base + " is not reached: " + answer.error + ".",
                           remedy_for(answer.exit));
            return;
        }
        if (&probe == probes.data()) check_certificate(answer, findings);
        check_status(probe, answer, findings);
        check_headers(probe, answer, findings);
    }
}

} // namespace usershell::ctl
