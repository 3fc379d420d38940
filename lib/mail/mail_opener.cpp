#include "mail/mail_opener.hpp"

#include "base/ascii.hpp"
#include "crypto/envelope/record.hpp"

#include <cstdint>

namespace usershell::mail {

namespace {

using Reason = crypto::UnsealError::Reason;

std::chrono::sys_seconds read_time(std::string_view digits) {
    const auto seconds = parse_number<std::int64_t>(digits);
    if (!seconds) throw crypto::UnsealError{Reason::damaged};
    return std::chrono::sys_seconds{std::chrono::seconds{*seconds}};
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

} // namespace usershell::mail
