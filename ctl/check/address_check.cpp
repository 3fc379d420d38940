// Requests to the service and the mail server, made by the program curl: usershellctl itself opens
// no connection but that to the database.
#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "ctl/check/inspection.hpp"
#include "ctl/system/child.hpp"
#include "domain/address/address.hpp"
#include "store/outbox.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <boost/url/parse.hpp>

namespace usershell::ctl {

namespace {

struct CurlAnswer {
    int exit = 0;      ///< curl's exit status: 0, or its number for what went wrong
    std::string error; ///< its sentence about that
    int status = 0;    ///< of HTTP
    std::map<std::string, std::string> headers; ///< names in lower case
    std::string certificate_end;                ///< of a TLS server: "Nov 22 04:00:00 2027 GMT"
};

constexpr int not_found = 127;
constexpr std::string_view certificate_mark = "Expire date:";

void read_line(std::string_view line, CurlAnswer& answer) {
    if (line.starts_with("HTTP/")) {
        answer.headers.clear(); // of an answer before this one
        const auto number = line.substr(line.find(' ') + 1, 3);
        answer.status = parse_number<int>(number).value_or(0);
    } else if (line.starts_with(certificate_mark)) {
        if (answer.certificate_end.empty()) // of the server itself; others follow
            answer.certificate_end = line.substr(certificate_mark.size());
    } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
        answer.headers[lower_ascii(line.substr(0, colon))] = trim(line.substr(colon + 1));
    }
}

/// Runs curl with these lines of its configuration file (curl(1), --config), which it reads from
/// standard input, so that no list of processes shows them. `seconds`: for the whole answer, such
/// as "1.5". Throws Error when curl is not installed.
CurlAnswer ask_by_curl(const std::vector<std::string>& options, const std::string& seconds) {
    std::string input = "silent\nshow-error\nmax-time = " + seconds + "\n";
    for (const auto& option : options) input += option + "\n";
    const auto result = run_child({{"curl", "--config", "-"}, input, {}});
    if (result.status == not_found)
        throw Error{"There is no curl to look with.", Remedy::install_curl};
    CurlAnswer answer{result.status, result.errors.substr(0, result.errors.find('\n')), 0, {}, {}};
    for_each_piece(result.output, '\n', [&answer](std::string_view line) {
        if (line.ends_with('\r')) line.remove_suffix(1);
        read_line(line, answer);
    });
    return answer;
}

/// A line of that file: `name = "value"`, escaped.
std::string curl_option(const std::string& name, const std::string& value) {
    std::string quoted;
    for (const char letter : value) {
        if (letter == '"' || letter == '\\') quoted += '\\';
        quoted += letter;
    }
    return name + " = \"" + quoted + "\"";
}

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

constexpr const char* bring_snippets =
    "apt install --reinstall ./usershell_*.deb && nginx -t && systemctl reload nginx";

constexpr const char* enable_site =
    "ln -sf ../sites-available/usershell /etc/nginx/sites-enabled/ && nginx -t && systemctl "
    "restart nginx";

bool has(const CurlAnswer& answer, const std::string& name, std::string_view piece) {
    const auto found = answer.headers.find(name);
    return found != answer.headers.end() && found->second.find(piece) != std::string::npos;
}

void check_status(const Probe& probe, const CurlAnswer& answer, Inspection& inspection,
                  Findings& findings) {
    const std::string where = std::string{probe.path} + " answers " + std::to_string(answer.status);
    const std::string program = probe.program;
    if (answer.status == probe.status)
        findings.good(where + ".");
    else if (answer.status >= 502 && answer.status <= 504) {
        inspection.broken.insert(program);
        findings.fault(where + ": " + program + " is not there.",
                       restart_command(program + ".socket") + "; journalctl -n 50 -u '" + program +
                           "@*'");
    } else
        findings.fault(where + " in place of " + std::to_string(probe.status) + ".",
                       bring_snippets);
}

void check_policy(const Probe& probe, const CurlAnswer& answer, Findings& findings) {
    if (!has(answer, "content-security-policy", probe.policy))
        findings.fault(std::string{probe.path} + " does not come by the way of " + probe.program +
                           " (its Content-Security-Policy is another).",
                       bring_snippets);
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
    findings.fault("Answers come without good headers: " + names + ".", bring_snippets);
}

/// Null when curl writes it in an unknown format.
std::optional<std::time_t> moment_of(const std::string& end) {
    std::tm parts{};
    if (strptime(end.c_str(), "%b %d %H:%M:%S %Y GMT", &parts) == nullptr) return std::nullopt;
    return timegm(&parts);
}

void check_certificate(const CurlAnswer& answer, Inspection& inspection, Findings& findings) {
    constexpr long enough = 14;
    const auto moment = moment_of(answer.certificate_end);
    if (!moment) {
        findings.skip("The certificate's end", "curl does not say it");
        return;
    }
    inspection.certificate_end = *moment;
    const auto left =
        std::chrono::system_clock::from_time_t(*moment) - std::chrono::system_clock::now();
    const long days = std::chrono::floor<std::chrono::days>(left).count();
    const std::string when = std::to_string(days) + " days";
    findings.check(days >= enough, "The certificate is good for " + when + ".",
                   "The certificate ends in " + when + ".",
                   "certbot renew && systemctl reload nginx");
}

/// `here`: at this machine, wherever the name leads.
CurlAnswer ask(const Inspection& inspection, const std::string& base, const Probe& probe,
               bool here = false) {
    std::vector<std::string> options{
        curl_option("url", base + probe.path), curl_option("dump-header", "-"),
        curl_option("output", "/dev/null"), curl_option("write-out", "%{certs}")};
    if (probe.is_post) options.push_back(curl_option("data", ""));
    if (!inspection.authority.empty())
        options.push_back(curl_option("cacert", inspection.authority));
    if (here) options.push_back(curl_option("connect-to", "::127.0.0.1:"));
    return ask_by_curl(options, inspection.time_left());
}

constexpr int timed_out = 28;

std::string remedy_for_address(int curl_exit) {
    constexpr int cannot_resolve = 6, refused = 7, no_tls = 35, bad_certificate = 60;
    if (curl_exit == cannot_resolve)
        return "Have the name point to this machine (DNS), and /etc/resolv.conf name a name server "
               "that answers.";
    if (curl_exit == bad_certificate)
        return "Give nginx a certificate for that name that browsers trust, with its whole chain "
               "(certbot).";
    if (curl_exit == refused) return enable_site;
    if (curl_exit == no_tls)
        return "ss -ltnp shows which program has the port; end it, then systemctl restart nginx";
    return "systemctl restart nginx";
}

/// Null: there is no time to ask.
std::optional<CurlAnswer> ask_here(const Inspection& inspection, const std::string& base,
                                   const Probe& probe) {
    try {
        return ask(inspection, base, probe, true);
    } catch (const OutOfTime&) {
        return std::nullopt;
    }
}

void add_other_machine(const std::string& what, const std::string& base, Findings& findings) {
    findings.fault(what + " This machine itself answers: the name leads elsewhere.",
                   "getent ahosts " + std::string{host_name_of(base)} +
                       "; mend its DNS, or /etc/hosts");
}

/// A fault of the way to nginx shows at the first probe; later ones reach it.
void add_silence(const Inspection& inspection, const std::string& base, const Probe& probe,
                 const CurlAnswer& answer, Findings& findings) {
    const std::string what = base + " is not reached: " + answer.error + ".";
    const std::string program{probe.program};
    const bool is_first = &probe == probes.data();
    const auto here = is_first ? ask_here(inspection, base, probe) : answer;
    if (!here) {
        findings.fault(what, "usershellctl check --within 60 has time to ask why");
    } else if (here->exit == 0) {
        add_other_machine(what, base, findings);
    } else if (!is_first || answer.exit == timed_out) {
        findings.fault(program + " does not answer: " + answer.error + ".",
                       "systemctl restart " + program + ".service");
    } else {
        findings.fault(what, remedy_for_address(answer.exit));
    }
}

} // namespace

void check_address(Inspection& inspection, Findings& findings) {
    const Settings* const manage = inspection.settings_of(Program::manage);
    if (manage == nullptr || manage->base_url.empty()) {
        findings.skip("The service's address", "base-url is not known");
        return;
    }
    if (inspection.broken.contains("nginx")) {
        findings.skip("The service's address", "mend nginx first");
        return;
    }
    const std::string& base = manage->base_url;
    std::set<std::string> lack;
    for (const Probe& probe : probes) {
        if (inspection.broken.contains(probe.program)) {
            findings.skip(std::string{probe.path} + " was not asked",
                          "mend " + std::string{probe.program} + " first");
            continue;
        }
        const auto answer = ask(inspection, base, probe);
        if (answer.exit != 0) return add_silence(inspection, base, probe, answer, findings);
        if (&probe == probes.data()) check_certificate(answer, inspection, findings);
        check_status(probe, answer, inspection, findings);
        lack.merge(lacking(answer));
        if (lack.size() == headers.size()) {
            const std::string what = base + " shows another site than usershell's.";
            const auto here = ask_here(inspection, base, probe);
            if (here && here->exit == 0 && lacking(*here).empty())
                return add_other_machine(what, base, findings);
            return findings.fault(what, enable_site);
        }
        if (!inspection.broken.contains(probe.program)) check_policy(probe, answer, findings);
    }
    check_headers(lack, findings);
}

namespace {

std::string remedy_for_mail(int curl_exit) {
    constexpr int no_tls = 64, refused = 67, bad_certificate = 60;
    switch (curl_exit) {
    case refused:
        return "editor /etc/usershell/mail.conf: smtp-user, smtp-password";
    case bad_certificate:
        return "Name the server's authority by the setting smtp-ca, or the server by the name in "
               "its certificate.";
    case no_tls:
        return "The server must offer STARTTLS; else use smtps:// in smtp-url.";
    default:
        return "Correct the setting smtp-url, or open the firewall between.";
    }
}

/// Without TLS, as usershell-mail speaks to this machine's own server.
bool speaks_plain(const Settings& mail) {
    const auto url = boost::urls::parse_uri(mail.smtp_url);
    return url && url->scheme() == "smtp" && mail.smtp_ca.empty() &&
           is_loopback_host(url->host_address());
}

/// Greeting, TLS and sign-in, and then nothing.
void converse(const Settings& mail, const std::string& seconds, Findings& findings) {
    std::vector<std::string> options{curl_option("url", mail.smtp_url),
                                     curl_option("request", "NOOP"),
                                     curl_option("output", "/dev/null")};
    if (!speaks_plain(mail)) options.emplace_back("ssl-reqd");
    if (!mail.smtp_user.empty())
        options.push_back(curl_option("user", mail.smtp_user + ":" + mail.smtp_password));
    if (!mail.smtp_ca.empty()) options.push_back(curl_option("cacert", mail.smtp_ca));
    const auto answer = ask_by_curl(options, seconds);
    findings.check(answer.exit == 0, "The mail server lets us in.",
                   "The mail server does not let us in: " + answer.error + ".",
                   remedy_for_mail(answer.exit));
}

void check_queue(store::Lease& store, Findings& findings) {
    const auto mails = store::list_mail(store);
    const auto failed = std::ranges::count(mails, "failed", &store::MailRow::state);
    findings.check(failed == 0, "No mail was given up.",
                   std::to_string(failed) + " mails were given up.",
                   "usershellctl mail says why; then usershellctl mail drop ID.");
    constexpr int many = 5;
    const auto slow = std::ranges::find_if(mails, [](const store::MailRow& mail) {
        return mail.state == "queued" && mail.attempts >= many;
    });
    if (slow != mails.end())
        findings.fault("The mail server has not taken a mail in " + std::to_string(slow->attempts) +
                           " attempts: " + slow->reason + ".",
                       "journalctl -n 50 -u usershell-mail; usershellctl mail retry " + slow->id);
}

} // namespace

void check_mail(Inspection& inspection, Findings& findings) {
    const Settings* const mail = inspection.settings_of(Program::mail);
    const Settings* const auth = inspection.settings_of(Program::auth);
    const bool queues = auth != nullptr && auth->mail_configured();
    if (mail == nullptr) {
        findings.skip("Mail", "mend settings first");
        return;
    }
    if (mail->smtp_url.empty()) {
        if (queues)
            findings.fault("Mail is queued and never sent: the setting smtp-url is empty.",
                           "Write the mail server into mail.conf, then systemctl enable --now "
                           "usershell-mail.");
        else
            findings.skip("Mail", "no mail server is set");
        return;
    }
    if (mail->smtp_from.empty())
        findings.fault("The setting smtp-from is empty.",
                       "Write the sender's address into mail.conf.");
    converse(*mail, inspection.time_left(), findings);
    if (inspection.store) check_queue(*inspection.store, findings);
}

} // namespace usershell::ctl
