#include "execute/courier.hpp"

#include "base/log.hpp"
#include "net/mail.hpp"
#include "store/outbox.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <stdexcept>

namespace usershell {
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

Mail compose_from(const Settings& settings, const TakenMail& taken, std::string_view json) {
    const boost::json::value content = boost::json::parse({json.data(), json.size()});
    Mail mail;
    mail.message_id = taken.id;
    mail.from_address = settings.smtp_from;
    mail.from_name = sender_name;
    mail.to_address = member(content, "to");
    mail.subject = member(content, "subject");
    mail.text = member(content, "text");
    mail.html = member(content, "html");
    mail.date = std::chrono::system_clock::now();
    return mail;
}

MailServer server_of(const Settings& settings) {
    return {settings.smtp_url, settings.smtp_user, settings.smtp_password, settings.smtp_ca};
}

DeliveryResult try_to_deliver(Execute& wing, const TakenMail& taken) {
    try {
        const Secret content = wing.unsealer.open_mail(taken.id, taken.sealed);
        const Mail mail = compose_from(wing.settings, taken, content.reveal());
        return deliver(server_of(wing.settings), mail.from_address, mail.to_address, compose(mail),
                       conversation_timeout);
    } catch (const UnsealError& error) {
        // A ring key that is missing may be put back; what is damaged stays so.
        const bool may_return = error.reason() == UnsealError::Reason::key_unavailable;
        return {may_return ? Delivery::try_later : Delivery::refused,
                "the queued mail can't be opened"};
    } catch (const std::invalid_argument&) {
        return {Delivery::refused, "a control character in an address or subject"};
    }
}

} // namespace

seconds delay_after(int tries) {
    const int doublings = std::clamp(tries - 1, 0, 9);
    return std::min(seconds{10} * (1 << doublings), seconds{3600});
}

milliseconds send_due_mail(Execute& wing) {
    Lease lease{wing.database};
    const auto taken = take_mail(lease, keep_others_off);
    lease.give_back();
    if (!taken) return pause_when_empty;
    if (taken->kind == "none") {
        mail_sent(lease, *taken);
        return milliseconds{0};
    }
    const DeliveryResult result = try_to_deliver(wing, *taken);
    switch (result.outcome) {
    case Delivery::delivered:
        mail_sent(lease, *taken);
        break;
    case Delivery::try_later:
        mail_delayed(lease, *taken, delay_after(taken->tries), result.reason);
        break;
    case Delivery::refused:
        mail_failed(lease, *taken, result.reason);
        break;
    }
    const bool delivered = result.outcome == Delivery::delivered;
    log(delivered ? Level::info : Level::warning, delivered ? "mail sent" : "mail not sent",
        {{"mail", taken->id},
         {"kind", taken->kind},
         {"tries", std::to_string(taken->tries)},
         {"reason", result.reason}});
    return milliseconds{0};
}

} // namespace usershell
