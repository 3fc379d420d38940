#include "crypto/envelope/sealer.hpp"

#include "crypto/bytes.hpp"
#include "crypto/envelope/record.hpp"
#include "crypto/ring/public_half.hpp"

#include <array>
#include <stdexcept>
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

} // namespace

EnvelopeSealer::EnvelopeSealer(EnvelopeKind kind, const WebSecret& web,
                               const RingKeyId& ring_key_id, std::string ring_key)
    : kind_{kind},
      installation_{web.installation},
      signer_{web.active},
      signing_key_{derive_signing_pair(web.keys.at(web.active)).secret_key},
      ring_key_id_{ring_key_id},
      ring_key_{std::move(ring_key)} {
    if (!is_usable_public_key(RingRole::vault, ring_key_))
        throw std::invalid_argument{"a public key can't be sealed to"};
}

std::string EnvelopeSealer::seal(const UserId& owner,
                                 std::initializer_list<std::string_view> fields) const {
    auto ephemeral_secret = Secret::of_size(crypto_scalarmult_SCALARBYTES);
    randombytes_buf(ephemeral_secret.writable().data(), ephemeral_secret.size());
    return seal_with(ephemeral_secret, owner, fields);
}

std::string EnvelopeSealer::seal_with(const Secret& ephemeral_secret, const UserId& owner,
                                      std::initializer_list<std::string_view> fields) const {
    const EnvelopeHeader header{kind_, ring_key_id_, signer_,
                                public_half(RingRole::vault, ephemeral_secret)};
    const auto key =
        derive_envelope_key(ephemeral_secret, ring_key_, {header, installation_, ring_key_, owner});
    if (!key) throw std::invalid_argument{"a public key can't be sealed to"};
    return encrypted(*key, header.bytes(), signed_record(owner, fields));
}

/// signature ‖ padded record
Secret EnvelopeSealer::signed_record(const UserId& owner,
                                     std::initializer_list<std::string_view> fields) const {
    const auto signer = signer_.text();
    std::vector<std::string_view> all{record_format, name_of(kind_), installation_.text(), signer,
                                      owner.text()};
    all.insert(all.end(), fields);
    const auto size = length_prefixed_size(all);
    auto plain = Secret::of_size(crypto_sign_BYTES + padded_size(size));
    const auto record = plain.writable().subspan(crypto_sign_BYTES);
    write_length_prefixed(record, all);
    sodium_pad(nullptr, record.data(), size, record_padding, record.size());
    crypto_sign_detached(plain.writable().data(), nullptr, record.data(), record.size(),
                         bytes_of(signing_key_.reveal()));
    return plain;
}

} // namespace usershell::crypto
