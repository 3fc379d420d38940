#include "pages/mail_writer.hpp"

#include "base/ascii.hpp"
#include "base/timestamp.hpp"
#include "crypto/token.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <array>

namespace usershell::pages {

namespace {

constexpr std::chrono::hours notice_lifetime{24 * 7};

constexpr std::array months{"January"_en,   "February"_en, "March"_en,    "April"_en,
                            "May"_en,       "June"_en,     "July"_en,     "August"_en,
                            "September"_en, "October"_en,  "November"_en, "December"_en};

using Moment = std::chrono::sys_seconds;

/// "26 November, 00:41 UTC", in the reader's language.
Sentence day_and_time(Moment moment) {
    const auto day = std::chrono::floor<std::chrono::days>(moment);
    const std::chrono::year_month_day date{day};
    return {"{day} {month}, {time} UTC"_en,
            {{"day", std::to_string(unsigned{date.day()})},
             {"month", months.at(unsigned{date.month()} - 1)},
             {"time", rfc3339_seconds(moment).substr(11, 5)}}};
}

} // namespace

MailWriter::MailWriter(const web::Pages& pages, crypto::MailSealer sealer, std::string base_url)
    : pages_{pages},
      sealer_{std::move(sealer)},
      base_url_{std::move(base_url)} {}

store::QueuedMail MailWriter::confirm_email(const UserId& owner, const EmailAddress& to,
                                            const std::string& link, std::chrono::seconds valid_for,
                                            const std::string& language) const {
    web::PageData data;
    data.set("LINK", link);
    data.set("NEW_EMAIL", to.shown);
    return write(owner, Mail::confirm_email, to.deliverable, valid_for, std::move(data), language);
}

store::QueuedMail MailWriter::email_changed(const UserId& owner, const std::string& display_name,
                                            const std::string& old_address,
                                            const std::string& new_address,
                                            const std::string& language) const {
    web::PageData data;
    data.set("DISPLAY_NAME", display_name);
    data.set("NEW_EMAIL", new_address);
    const auto to = parse_email(old_address);
    return write(owner, Mail::email_changed, to ? to->deliverable : old_address, notice_lifetime,
                 std::move(data), language);
}

store::QueuedMail MailWriter::password_reset(const UserId& owner, const EmailAddress& to,
                                             const std::string& token,
                                             std::chrono::seconds valid_for,
                                             const std::string& language) const {
    web::PageData data;
    data.set("LINK", reset_link(token));
    return write(owner, Mail::password_reset, to.deliverable, valid_for, std::move(data), language);
}

store::QueuedMail MailWriter::invitation(const UserId& owner, const std::string& display_name,
                                         const EmailAddress& to, const std::string& token,
                                         std::chrono::seconds valid_for) const {
    web::PageData data;
    data.set("LINK", reset_link(token));
    data.set("DISPLAY_NAME", display_name);
    return write(owner, Mail::invitation, to.deliverable, valid_for, std::move(data), "en");
}

store::QueuedMail MailWriter::about_token(Mail mail, const UserId& owner,
                                          const std::string& display_name,
                                          const std::string& address, const std::string& token_name,
                                          const std::string& language) const {
    web::PageData data;
    data.set("DISPLAY_NAME", display_name);
    data.set("TOKEN_NAME", token_name);
    const auto to = parse_email(address);
    return write(owner, mail, to ? to->deliverable : address, notice_lifetime, std::move(data),
                 language);
}

store::QueuedMail MailWriter::security_event(const UserId& owner, const std::string& display_name,
                                             const std::string& address, const Sentence& what,
                                             const std::string& language) const {
    web::PageData data;
    data.set("DISPLAY_NAME", display_name).say("WHAT", what);
    const auto to = parse_email(address);
    return write(owner, Mail::security_event, to ? to->deliverable : address, notice_lifetime,
                 std::move(data), language);
}

/// The content as the mail sender reads it: a JSON object with to, subject, text, html.
store::QueuedMail MailWriter::write(const UserId& owner, Mail mail, const std::string& to,
                                    std::chrono::seconds valid_for, web::PageData data,
                                    const std::string& language) const {
    const auto until =
        std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()) + valid_for;
    data.set("HOST", std::string{host_of(base_url_)}).say("UNTIL", day_and_time(until));
    const MailTemplate& form = template_of(mail);
    const boost::json::object content{{"to", to},
                                      {"subject", pages_.sentence(form.subject, language)},
                                      {"text", pages_.render_bare(form.text(), data, language)},
                                      {"html", pages_.render_bare(form.html(), data, language)}};
    const auto id = crypto::random_id<MailId>();
    return {id, std::string{form.kind},
            sealer_.seal({owner, id, until}, boost::json::serialize(content))};
}

std::string MailWriter::reset_link(const std::string& token) const {
    return base_url_ + "/auth/reset?token=" + token;
}

std::string reset_token_hash(std::string_view token) {
    return crypto::token_hash("password-reset", token);
}

} // namespace usershell::pages
