#include "ctl/check/curl.hpp"
#include "ctl/check/inspection.hpp"

#include <array>
#include <chrono>
#include <ctime>
#include <set>

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
    "dpkg --verify usershell names the files of nginx that were changed; then nginx -t and "
    "systemctl reload nginx.";

constexpr const char* enable_site =
    "ln -s ../sites-available/usershell /etc/nginx/sites-enabled/, then nginx -t and systemctl "
    "reload nginx. Is the name in the site that of base-url, and the port?";

bool has(const CurlAnswer& answer, const std::string& name, std::string_view piece) {
    const auto found = answer.headers.find(name);
    return found != answer.headers.end() && found->second.find(piece) != std::string::npos;
}

void check_status(const Probe& probe, const CurlAnswer& answer, Findings& findings) {
    const std::string where = std::string{probe.path} + " answers " + std::to_string(answer.status);
    const std::string program = probe.program;
    if (answer.status == probe.status)
        findings.good(where + ".");
    else if (answer.status >= 502 && answer.status <= 504)
        findings.fault(where + ": " + program + " is not there.", "systemctl restart " + program +
                                                                      ".service; journalctl -u '" +
                                                                      program + "@*'");
    else
        findings.fault(where + " in place of " + std::to_string(probe.status) + ".", compare_site);
}

void check_policy(const Probe& probe, const CurlAnswer& answer, Findings& findings) {
    if (!has(answer, "content-security-policy", probe.policy))
        findings.fault(std::string{probe.path} + " does not come by the way of " + probe.program +
                           " (its Content-Security-Policy is another).",
                       compare_site);
}

/// nginx adds these headers to every answer. The names of those that lack.
std::set<std::string> lacking(const CurlAnswer& answer) {
    std::set<std::string> names;
    for (const auto& [name, piece] : headers)
        if (!has(answer, name, piece)) names.insert(name);
    return names;
}

void check_headers(const std::set<std::string>& lacking, Findings& findings) {
    if (lacking.empty()) return;
    std::string names;
    for (const auto& name : lacking) names += (names.empty() ? "" : ", ") + name;
    findings.fault("Answers come without good headers: " + names + ".", compare_site);
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
    findings.check(*days >= enough, "The certificate is good for " + when + ".",
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
    return ask_by_curl(options, inspection.time_left());
}

std::string remedy_for_address(int curl_exit) {
    constexpr int cannot_resolve = 6, refused = 7, timed_out = 28, no_tls = 35,
                  bad_certificate = 60;
    if (curl_exit == cannot_resolve)
        return "Have the name point to this machine (DNS), and /etc/resolv.conf name a name server "
               "that answers.";
    if (curl_exit == bad_certificate)
        return "Give nginx a certificate for that name that browsers trust, with its whole chain "
               "(certbot).";
    if (curl_exit == refused) return std::string{"Nothing listens there: "} + enable_site;
    if (curl_exit == no_tls)
        return "Another program has the port: ss -ltnp; end it, then systemctl restart nginx.";
    if (curl_exit == timed_out)
        return "systemctl status 'usershell*' nginx: one of them does not answer.";
    return "systemctl status nginx; does a firewall let it through?";
}

} // namespace

void check_address(Inspection& inspection, Findings& findings) {
    const Settings* const manage = inspection.settings_of(Program::manage);
    if (manage == nullptr || manage->base_url.empty()) {
        findings.skip("The service's address", "base-url is not known");
        return;
    }
    const std::string& base = manage->base_url;
    std::set<std::string> lack;
    for (const Probe& probe : probes) {
        const auto answer = ask(inspection, base, probe);
        if (answer.exit != 0) {
            findings.fault(base + " is not reached: " + answer.error + ".",
                           remedy_for_address(answer.exit));
            return;
        }
        if (&probe == probes.data()) check_certificate(answer, findings);
        check_status(probe, answer, findings);
        lack.merge(lacking(answer));
        if (lack.size() == headers.size()) {
            findings.fault(base + " shows another site than usershell's.", enable_site);
            return;
        }
        check_policy(probe, answer, findings);
    }
    check_headers(lack, findings);
}

} // namespace usershell::ctl
