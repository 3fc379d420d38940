#include "crypto/envelope/mail_sealer.hpp"

#include <string>

namespace usershell::crypto {

MailSealer::MailSealer(const WebSecret& web, const MailPublic& mail)
    : sealer_{sealer_to(EnvelopeKind::mail, web, mail)} {}

SealedMail MailSealer::seal(const MailBinding& binding, std::string_view content) const {
    const auto valid_until = std::to_string(binding.valid_until.time_since_epoch().count());
    return SealedMail{sealer_.seal(binding.owner, {binding.mail.text(), valid_until, content})};
}

} // namespace usershell::crypto
