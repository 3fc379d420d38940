#include "app/mail_writer.hpp"

#include "crypto/token.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::app {

MailWriter::MailWriter(const web::Pages& pages, const crypto::Sealer& sealer, std::string base_url)
    : pages_{pages},
      sealer_{sealer},
      base_url_{std::move(base_url)} {}

store::QueuedMail MailWriter::confirm_email(const EmailAddress& to, const std::string& link) const {
    web::PageData data;
    data.set("LINK", link);
    data.set("NEW_EMAIL", to.shown);
    return write(Mail::confirm_email, to.ascii_domain, std::move(data));
}

store::QueuedMail MailWriter::email_changed(const std::string& display_name,
                                            const std::string& old_address,
                                            const std::string& new_address) const {
    web::PageData data;
    data.set("DISPLAY_NAME", display_name);
    data.set("NEW_EMAIL", new_address);
    const auto to = parse_email(old_address);
    return write(Mail::email_changed, to ? to->ascii_domain : old_address, std::move(data));
}

store::QueuedMail MailWriter::password_reset(const EmailAddress& to,
                                             const std::string& token) const {
    web::PageData data;
    data.set("LINK", reset_link(token));
    return write(Mail::password_reset, to.ascii_domain, std::move(data));
}

store::QueuedMail MailWriter::invitation(const std::string& display_name, const EmailAddress& to,
                                         const std::string& token) const {
    web::PageData data;
    data.set("LINK", reset_link(token));
    data.set("DISPLAY_NAME", display_name);
    return write(Mail::invitation, to.ascii_domain, std::move(data));
}

/// In the form in which the mail sender reads it: a JSON object with to, subject, text, html.
store::QueuedMail MailWriter::write(Mail mail, const std::string& to, web::PageData data) const {
    data.set("SERVICE", base_url_);
    const MailTemplate& form = template_of(mail);
    const boost::json::object content{{"to", to},
                                      {"subject", form.subject},
                                      {"text", pages_.render_bare(form.text(), data)},
                                      {"html", pages_.render_bare(form.html(), data)}};
    const std::string id = crypto::random_uuid();
    return {id, std::string{form.kind}, sealer_.seal_mail(id, boost::json::serialize(content))};
}

std::string MailWriter::reset_link(const std::string& token) const {
    return base_url_ + "/auth/reset?token=" + token;
}

std::string reset_token_hash(std::string_view token) {
    return crypto::token_hash("password-reset", token);
}

} // namespace usershell::app
