#include "mail/services.hpp"

#include "base/ascii.hpp"
#include "crypto/envelope/sealers.hpp"
#include "store/installation.hpp"

#include <cstdint>

namespace usershell::mail {

namespace {

using Reason = crypto::UnsealError::Reason;

std::chrono::sys_seconds read_time(std::string_view digits) {
    const auto number = parse_number<std::int64_t>(digits);
    if (!number) throw crypto::UnsealError{Reason::damaged};
    return std::chrono::sys_seconds{std::chrono::seconds{*number}};
}

} // namespace

MailOpener::MailOpener(const crypto::MailSecret& ring, const crypto::AuthPublic& auth)
    : opener_{ring, auth} {}

OpenedMail MailOpener::open(const store::TakenMail& mail) const {
    const auto opened = opener_.open<crypto::MailRecord>(mail.owner, mail.sealed.bytes());
    const crypto::MailRecord& record = opened.record;
    if (record.mail != mail.id.text()) throw crypto::UnsealError{Reason::moved};
    return {read_time(record.valid_until), crypto::Secret{record.content}};
}

namespace {

const Settings& checked(const Settings& settings) {
    if (settings.smtp_url.empty()) throw ConfigError{"The setting smtp-url is needed."};
    if (settings.smtp_from.empty()) throw ConfigError{"The setting smtp-from is needed."};
    return settings;
}

} // namespace

// Two connections: rounds come one after another, and the metrics ask beside them.
Services::Services(const Settings& given)
    : settings{checked(given)},
      database{given.database, 2},
      mail_ring{crypto::load_ring<crypto::MailSecret>(given.mail_secret)},
      auth_ring{crypto::load_ring<crypto::AuthPublic>(given.auth_public)},
      opener{mail_ring, auth_ring} {}

std::vector<crypto::RingSummary> Services::rings() const {
    return {crypto::summary_of(mail_ring), crypto::summary_of(auth_ring)};
}

void Services::require_store() { store::require_store(database, rings()); }

} // namespace usershell::mail
