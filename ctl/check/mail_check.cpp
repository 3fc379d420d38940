#include "ctl/check/curl.hpp"
#include "ctl/check/inspection.hpp"
#include "domain/address/address.hpp"
#include "store/outbox.hpp"

#include <algorithm>

#include <boost/url/parse.hpp>

namespace usershell::ctl {

namespace {

std::string remedy_for_mail(int curl_exit) {
    constexpr int no_tls = 64, refused = 67, bad_certificate = 60;
    switch (curl_exit) {
    case refused:
        return "Mend the settings smtp-user and smtp-password.";
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
}

} // namespace

void check_mail(Inspection& inspection, Findings& findings) {
    const Settings* const mail = inspection.settings_of(Program::mail);
    const Settings* const auth = inspection.settings_of(Program::auth);
    const bool queues = auth != nullptr && auth->mail_configured();
    if (mail == nullptr || mail->smtp_url.empty()) {
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
