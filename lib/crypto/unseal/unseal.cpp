#include "crypto/unseal/unseal.hpp"

#include "base/address/url.hpp"
#include "crypto/envelope/record.hpp"

namespace usershell::crypto {

using Reason = UnsealError::Reason;

Unsealer::Unsealer(const VaultSecret& vault, const WebPublic& web, AddressRule rule)
    : opener_{vault, web},
      rule_{rule} {}

Secret Unsealer::open(const KeyBinding& row, const SealedKey& sealed) const {
    const auto record = opener_.open(row.owner, sealed.bytes(), 5);
    const auto provider = record.fields[0];
    const auto account = record.fields[1];
    const auto type = record.fields[2];
    const auto base_url = record.fields[3];
    if (provider != row.provider.text() ||
        account != (row.account ? std::string_view{row.account->text()} : provider_level))
        throw UnsealError{Reason::moved};
    if (type != row.type || !may_be_sent_to(base_url, row.base_url))
        throw UnsealError{Reason::address_changed};
    return Secret{record.fields[4]};
}

bool Unsealer::may_be_sent_to(std::string_view base_url, const std::string& row_base_url) const {
    if (base_url == row_base_url) return true;
    return rule_ == AddressRule::path &&
           BaseUrl::parse(base_url).origin() == BaseUrl::parse(row_base_url).origin();
}

} // namespace usershell::crypto
