#include "mail/mail_opener.hpp"

#include <charconv>
#include <cstdint>

namespace usershell::mail {

namespace {

using Reason = crypto::UnsealError::Reason;

std::chrono::sys_seconds read_time(std::string_view digits) {
    std::int64_t seconds = 0;
    const auto* const end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, seconds);
    if (error != std::errc{} || rest != end) throw crypto::UnsealError{Reason::damaged};
    return std::chrono::sys_seconds{std::chrono::seconds{seconds}};
}

} // namespace

MailOpener::MailOpener(const crypto::MailSecret& ring, const crypto::WebPublic& web)
    : opener_{ring, web} {}

OpenedMail MailOpener::open(const store::TakenMail& mail) const {
    const auto record = opener_.open(mail.owner, mail.sealed.bytes(), 3);
    if (record.fields[0] != mail.id.text()) throw crypto::UnsealError{Reason::moved};
    return {read_time(record.fields[1]), crypto::Secret{record.fields[2]}};
}

} // namespace usershell::mail
