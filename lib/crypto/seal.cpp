#include "crypto/seal.hpp"

#include "crypto/bytes.hpp"
#include "crypto/fields.hpp"
#include "crypto/record.hpp"
#include "crypto/signing.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <sodium.h>

namespace usershell::crypto {

namespace {

std::string seal_to(const std::string& public_key, std::string_view plain) {
    if (public_key.size() != crypto_box_PUBLICKEYBYTES)
        throw std::invalid_argument{"a public key has the wrong size"};
    std::string sealed(plain.size() + crypto_box_SEALBYTES, '\0');
    if (crypto_box_seal(bytes_of(sealed), bytes_of(plain), plain.size(), bytes_of(public_key)) != 0)
        throw std::invalid_argument{"a public key can't be sealed to"};
    return sealed;
}

std::size_t padded_size(std::size_t size) { return (size / record_padding + 1) * record_padding; }

} // namespace

UserId global_owner() { return *UserId::parse("00000000-0000-0000-0000-000000000000"); }

Sealer::Sealer(VaultPublic vault, const WebSecret& web)
    : vault_{std::move(vault)},
      signer_{web.active},
      signing_key_{derive_signing_pair(web.seeds.at(web.active)).secret_key},
      verify_key_{derive_signing_pair(web.seeds.at(web.active)).public_key} {
    if (signer_.size() != ring_key_id_size)
        throw std::invalid_argument{"a ring key id has the wrong size"};
}

Scope Sealer::make_scope(const UserId& owner) const {
    std::string public_key(crypto_box_PUBLICKEYBYTES, '\0');
    auto secret_key = Secret::of_size(crypto_box_SECRETKEYBYTES);
    crypto_box_keypair(bytes_of(public_key), secret_key.writable().data());

    const Fields fields{scope_record_version, owner.text(), secret_key.reveal()};
    auto record = Secret::of_size(joined_size(fields));
    join_into(record.writable(), fields);
    const std::string vouched = joined({voucher_version, owner.text(), vault_.active, public_key});
    std::string voucher(crypto_sign_BYTES, '\0');
    crypto_sign_detached(bytes_of(voucher), nullptr, bytes_of(vouched), vouched.size(),
                         bytes_of(signing_key_.reveal()));
    return {vault_.active, std::move(public_key),
            SealedScope{seal_to(vault_.public_key, record.reveal())}, std::move(voucher)};
}

bool Sealer::vouches_for(const UserId& owner, const RingKeyId& ring_key,
                         const std::string& public_key, const std::string& voucher) const {
    const std::string vouched = joined({voucher_version, owner.text(), ring_key, public_key});
    return voucher.size() == crypto_sign_BYTES &&
           crypto_sign_verify_detached(bytes_of(voucher), bytes_of(vouched), vouched.size(),
                                       bytes_of(verify_key_)) == 0;
}

SealedKey Sealer::seal(const KeyBinding& binding, const Secret& key,
                       const std::string& scope_public_key) const {
    return SealedKey{sign_and_seal(
        {key_record_version, binding.owner.text(), binding.provider.text(),
         binding.account ? binding.account->text() : provider_level, binding.origin, key.reveal()},
        scope_public_key)};
}

SealedMail Sealer::seal_mail(const std::string& mail_id, std::string_view content) const {
    return SealedMail{vault_.active +
                      sign_and_seal({mail_record_version, mail_id, content}, vault_.public_key)};
}

std::string Sealer::sign_and_seal(Fields fields, const std::string& public_key) const {
    const auto record_size = joined_size(fields);
    auto plain = Secret::of_size(ring_key_id_size + crypto_sign_BYTES + padded_size(record_size));
    const auto id = plain.writable().first(ring_key_id_size);
    const auto signature = plain.writable().subspan(ring_key_id_size, crypto_sign_BYTES);
    const auto record = plain.writable().subspan(ring_key_id_size + crypto_sign_BYTES);

    join_into(record, fields);
    sodium_pad(nullptr, record.data(), record_size, record_padding, record.size());
    std::copy(signer_.begin(), signer_.end(), id.begin());
    crypto_sign_detached(signature.data(), nullptr, record.data(), record.size(),
                         bytes_of(signing_key_.reveal()));
    return seal_to(public_key, plain.reveal());
}

std::string key_hint(const Secret& key) {
    const auto text = key.reveal();
    if (text.size() < 12) return "••••";
    const std::string end = "…" + std::string{text.substr(text.size() - 4)};
    return text.size() < 20 ? end : std::string{text.substr(0, 3)} + end;
}

} // namespace usershell::crypto
