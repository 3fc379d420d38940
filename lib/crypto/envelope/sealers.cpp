#include "crypto/envelope/sealers.hpp"

#include "crypto/bytes.hpp"
#include "crypto/ring/ring.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <sodium.h>

namespace usershell::crypto {

namespace {

std::size_t padded_size(std::size_t size) { return (size / record_padding + 1) * record_padding; }

/// Header, ciphertext and tag. The nonce is zero: no key encrypts twice.
std::string encrypted(const Secret& key, const std::string& header, const Secret& plain) {
    constexpr std::array<unsigned char, crypto_aead_xchacha20poly1305_ietf_NPUBBYTES> nonce{};
    std::string out = header;
    out.resize(header.size() + plain.size() + envelope_tag_size);
    crypto_aead_xchacha20poly1305_ietf_encrypt(
        bytes_of(out) + header.size(), nullptr, bytes_of(plain.reveal()), plain.size(),
        bytes_of(header), header.size(), nullptr, nonce.data(), bytes_of(key.reveal()));
    return out;
}

Secret fresh_ephemeral() { return Secret::random(crypto_scalarmult_SCALARBYTES); }

std::string sealed_by(const Secret& ephemeral_secret, EnvelopeKind kind,
                      const RingRecipient& recipient, const RingKeyId& signer,
                      const InstallationId& installation, const UserId& owner,
                      const Secret& signed_record) {
    const EnvelopeHeader header{kind, recipient.id, signer,
                                public_half(RingRole::vault, ephemeral_secret)};
    const auto key = derive_envelope_key(ephemeral_secret, recipient.public_key,
                                         {header, installation, recipient.public_key, owner});
    if (!key) throw Error{"a public key can't be sealed to"};
    return encrypted(*key, header.bytes(), signed_record);
}

} // namespace

EnvelopeSealer::EnvelopeSealer(EnvelopeKind kind, InstallationId installation,
                               const RingKeyId& signer, const Secret& seed, RingRecipient recipient)
    : kind_{kind},
      installation_{std::move(installation)},
      signer_{signer},
      signing_key_{installation_, signer_, seed},
      recipient_{std::move(recipient)} {
    if (!is_usable_public_key(RingRole::vault, recipient_.public_key))
        throw Error{"a public key can't be sealed to"};
}

std::string seal_signed(EnvelopeKind kind, const RingRecipient& recipient, const RingKeyId& signer,
                        const InstallationId& installation, const UserId& owner,
                        const Secret& signed_record) {
    return sealed_by(fresh_ephemeral(), kind, recipient, signer, installation, owner,
                     signed_record);
}

std::string EnvelopeSealer::seal(const UserId& owner,
                                 std::initializer_list<std::string_view> fields) const {
    return seal_with(fresh_ephemeral(), owner, fields);
}

std::string EnvelopeSealer::seal_with(const Secret& ephemeral_secret, const UserId& owner,
                                      std::initializer_list<std::string_view> fields) const {
    return sealed_by(ephemeral_secret, kind_, recipient_, signer_, installation_, owner,
                     signed_record(owner, fields));
}

/// signature ‖ padded record
Secret EnvelopeSealer::signed_record(const UserId& owner,
                                     std::initializer_list<std::string_view> fields) const {
    std::vector<std::string_view> all{record_format, name_of(kind_), installation_.text(),
                                      owner.text()};
    all.insert(all.end(), fields);
    const auto size = length_prefixed_size(all);
    auto plain = Secret::of_size(signature_size + padded_size(size));
    const auto record = plain.writable().subspan(signature_size);
    write_length_prefixed(record, all);
    sodium_pad(nullptr, record.data(), size, record_padding, record.size());
    const auto digest = digest_of_record(plain.reveal().substr(signature_size));
    std::ranges::copy(signing_key_.sign(kind_, digest).signature, plain.writable().begin());
    return plain;
}

VaultEntrySealer::VaultEntrySealer(const WebSecret& web, const VaultPublic& vault)
    : sealer_{sealer_to(EnvelopeKind::vault_entry, web, vault)} {}

SealedKey VaultEntrySealer::seal(const VaultEntryBinding& binding, const Secret& key) const {
    return SealedKey{sealer_.seal(
        binding.owner, {binding.entry.text(), binding.kind, binding.base_url, key.reveal()})};
}

MailSealer::MailSealer(const AuthSecret& auth, const MailPublic& mail)
    : sealer_{sealer_to(EnvelopeKind::mail, auth, mail)} {}

SealedMail MailSealer::seal(const MailBinding& binding, std::string_view content) const {
    const auto valid_until = std::to_string(binding.valid_until.time_since_epoch().count());
    return SealedMail{sealer_.seal(binding.owner, {binding.mail.text(), valid_until, content})};
}

KeySealer::KeySealer(const WebSecret& web, const VaultPublic& vault)
    : sealer_{sealer_to(EnvelopeKind::key, web, vault)} {}

SealedKey KeySealer::seal(const KeyBinding& binding, const Secret& key) const {
    return SealedKey{sealer_.seal(binding.owner, {binding.provider.text(), place_of(binding),
                                                  binding.type, binding.base_url, key.reveal()})};
}

std::string key_hint(const Secret& key) {
    const auto text = key.reveal();
    if (text.size() < 12) return "••••";
    const std::string end = "…" + std::string{text.substr(text.size() - 4)};
    return text.size() < 20 ? end : std::string{text.substr(0, 3)} + end;
}

} // namespace usershell::crypto
