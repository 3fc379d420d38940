#include "mail/sender.hpp"

#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "net/smtp/mail.hpp"
#include "store/outbox.hpp"

#include <algorithm>

#include <boost/json/parse.hpp>

namespace usershell::mail {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds pause_when_empty{1000};
constexpr seconds conversation_timeout{60};
constexpr seconds keep_others_off{120};
constexpr const char* sender_name = "usershell";

std::string member(const boost::json::value& content, std::string_view name) {
    return std::string{content.at(name).as_string()};
}

net::Mail compose_from(const Settings& settings, const store::TakenMail& taken,
                       std::string_view json) {
    const boost::json::value content = boost::json::parse({json.data(), json.size()});
    net::Mail mail;
    mail.message_id = taken.id.text();
    mail.from_address = settings.smtp_from;
    mail.from_name = sender_name;
    mail.to_address = member(content, "to");
    mail.subject = member(content, "subject");
    mail.text = member(content, "text");
    mail.html = member(content, "html");
    mail.date = std::chrono::system_clock::now();
    return mail;
}

net::MailServer server_of(const Settings& settings) {
    return {settings.smtp_url, settings.smtp_user, settings.smtp_password, settings.smtp_ca};
}

net::DeliveryResult try_to_deliver(Services& services, const store::TakenMail& taken) {
    try {
        const OpenedMail opened = services.opener.open(taken);
        if (opened.valid_until < std::chrono::system_clock::now())
            return {net::Delivery::refused, "it could not be sent before its link ended"};
        const net::Mail mail = compose_from(services.settings, taken, opened.content.reveal());
        return net::deliver(server_of(services.settings), mail, conversation_timeout);
    } catch (const crypto::UnsealError& error) {
        // A ring key that is missing may be put back; what is damaged stays so.
        const bool may_return = error.reason() == crypto::UnsealError::Reason::key_unavailable;
        return {may_return ? net::Delivery::try_later : net::Delivery::refused,
                "the queued mail can't be opened"};
    } catch (const net::MailError&) {
        return {net::Delivery::refused, "a control character in an address or subject"};
    }
}

} // namespace

seconds delay_after(int tries) {
    const int doublings = std::clamp(tries - 1, 0, 9);
    return std::min(seconds{10} * (1 << doublings), seconds{3600});
}

milliseconds send_due_mail(Services& services) {
    store::Lease lease{services.database};
    const auto taken = store::take_mail(lease, keep_others_off);
    lease.release();
    if (!taken) return pause_when_empty;
    // A mail for an address without a user. It exists so that asking for a link does the same work
    // for every address (store::ask_password_reset()).
    if (taken->kind == "none") {
        store::mail_sent(lease, *taken);
        return milliseconds{0};
    }
    const net::DeliveryResult result = try_to_deliver(services, *taken);
    switch (result.outcome) {
    case net::Delivery::delivered:
        store::mail_sent(lease, *taken);
        break;
    case net::Delivery::try_later:
        store::mail_delayed(lease, *taken, delay_after(taken->attempts), result.reason);
        break;
    case net::Delivery::refused:
        store::mail_failed(lease, *taken, result.reason);
        break;
    }
    const bool delivered = result.outcome == net::Delivery::delivered;
    log(delivered ? Level::info : Level::warning, delivered ? "mail sent" : "mail not sent",
        {{"mail", taken->id.text()},
         {"kind", taken->kind},
         {"tries", std::to_string(taken->attempts)},
         {"reason", result.reason}});
    return milliseconds{0};
}

namespace {

constexpr std::chrono::seconds interval{10};

enum Family : std::size_t { queued, failed, waited };

std::vector<metrics::Family> families() {
    using enum metrics::Kind;
    return {{"usershell_outbox_queued", "Mails to be sent.", gauge},
            {"usershell_outbox_failed", "Mails given up and not yet looked at.", gauge},
            {"usershell_outbox_oldest_seconds", "How long the oldest of the queued waits.", gauge}};
}

} // namespace

OutboxGauges::OutboxGauges(Services& services)
    : services_{services},
      registry_{services.settings.metrics_folder, "outbox", families()} {}

void OutboxGauges::sample() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + interval;
    try {
        store::Lease lease{services_.database};
        const store::OutboxState state = store::outbox_state(lease);
        registry_.set(queued, state.queued);
        registry_.set(failed, state.failed);
        registry_.set(waited, state.seconds_waited);
    } catch (const Refusal&) { // NOLINT(bugprone-empty-catch): said above
    }
}

} // namespace usershell::mail
