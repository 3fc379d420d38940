#include "crypto/unseal/unseal.hpp"

#include "crypto/envelope/sealers.hpp"
#include "domain/address/url.hpp"
#include "domain/catalogue.hpp"

namespace usershell::crypto {

using Reason = UnsealError::Reason;

Unsealer::Unsealer(const VaultSecret& vault, const WebPublic& web, AddressRule rule)
    : opener_{vault, web, EnvelopeKind::key, &verified_},
      entry_opener_{vault, web, EnvelopeKind::vault_entry, &verified_},
      rule_{rule} {}

Secret Unsealer::open(const KeyBinding& row, const SealedKey& sealed) const {
    const bool may_be_entry = row.header.empty(); // no header was in that vault
    if (may_be_entry && EnvelopeHeader::parse(sealed.bytes(), EnvelopeKind::vault_entry))
        return open_entry(row, sealed);
    const auto opened = opener_.open<KeyRecord>(row.owner, sealed.bytes());
    const KeyRecord& record = opened.record;
    if (record.provider != row.provider.text() || record.account != place_of(row))
        throw UnsealError{Reason::moved};
    if (record.type != row.type || !may_be_sent_to(record.base_url, row.base_url))
        throw UnsealError{Reason::address_changed};
    return Secret{record.key};
}

Secret Unsealer::open_entry(const KeyBinding& row, const SealedKey& sealed) const {
    const auto opened = entry_opener_.open<VaultEntryRecord>(row.owner, sealed.bytes());
    const VaultEntryRecord& record = opened.record;
    if (record.entry != (row.account ? row.account->text() : row.provider.text()))
        throw UnsealError{Reason::moved};
    const auto* const type = find_provider_type(record.kind);
    const bool is_right = record.kind == row.type && type != nullptr &&
                          (record.base_url.empty() ? !type->default_base_url.empty() &&
                                                         row.base_url == type->default_base_url
                                                   : may_be_sent_to(record.base_url, row.base_url));
    if (!is_right) throw UnsealError{Reason::address_changed};
    return Secret{record.key};
}

bool Unsealer::may_be_sent_to(std::string_view base_url, const std::string& row_base_url) const {
    if (base_url == row_base_url) return true;
    return rule_ == AddressRule::path &&
           BaseUrl::parse(base_url).origin() == BaseUrl::parse(row_base_url).origin();
}

} // namespace usershell::crypto
