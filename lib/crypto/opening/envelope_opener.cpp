#include "crypto/opening/envelope_opener.hpp"

#include "crypto/bytes.hpp"
#include "crypto/envelope/envelope.hpp"
#include "crypto/envelope/sealers.hpp"
#include "crypto/ring/ring.hpp"

#include <array>

#include <sodium.h>

namespace usershell::crypto {

/// Owners' ids are all of one length, so that owner and envelope need nothing between them.
VerifiedEnvelopes::Digest VerifiedEnvelopes::digest_of(std::string_view owner,
                                                       std::string_view envelope) {
    Digest digest{};
    crypto_generichash_state state;
    crypto_generichash_init(&state, nullptr, 0, digest.size());
    crypto_generichash_update(&state, bytes_of(owner), owner.size());
    crypto_generichash_update(&state, bytes_of(envelope), envelope.size());
    crypto_generichash_final(&state, digest.data(), digest.size());
    return digest;
}

bool VerifiedEnvelopes::contains(const Digest& digest) const {
    const std::scoped_lock lock{mutex_};
    return !digests_.empty() && digests_[place_of(digest)] == digest;
}

void VerifiedEnvelopes::add(const Digest& digest) {
    const std::scoped_lock lock{mutex_};
    if (digests_.empty()) digests_.resize(capacity);
    digests_[place_of(digest)] = digest;
}

std::size_t VerifiedEnvelopes::place_of(const Digest& digest) {
    return (std::size_t{digest[0]} << 8 | digest[1]) % capacity;
}

namespace {

// Decryption proves that the envelope was sealed for this installation, kind and owner. All three
// are part of the key's derivation, so an envelope copied to another row has another key. Anybody
// who has the public key can seal. The signature proves that the one program did that has the
// signing key: usershell-manage of keys, usershell-auth of mails. The record repeats installation,
// kind and owner, and each is compared, so that a record can't be moved into another envelope. The
// other fields are read after that. Every fault is the error `damaged`, except a missing ring key,
// which may be put back.

using Reason = UnsealError::Reason;

std::string_view next_field(FieldReader& reader) {
    const auto field = reader.next();
    if (!field) throw UnsealError{Reason::damaged};
    return *field;
}

} // namespace

EnvelopeOpener::EnvelopeOpener(const VaultSecret& ring, const WebPublic& web, EnvelopeKind kind,
                               VerifiedEnvelopes* verified)
    : EnvelopeOpener{kind, ring.installation, ring.keys, web.keys, verified} {}

EnvelopeOpener::EnvelopeOpener(const MailSecret& ring, const AuthPublic& auth)
    : EnvelopeOpener{EnvelopeKind::mail, ring.installation, ring.keys, auth.keys, nullptr} {}

EnvelopeOpener::EnvelopeOpener(EnvelopeKind kind, const InstallationId& installation,
                               const Secrets& secrets, const Signers& signers,
                               VerifiedEnvelopes* verified)
    : kind_{kind},
      installation_{installation},
      secrets_{secrets},
      signers_{signers},
      verified_{verified} {
    for (const auto& [id, secret] : secrets_)
        public_keys_.emplace(id, public_half(RingRole::vault, secret));
}

Secret EnvelopeOpener::open(const UserId& owner, std::string_view envelope,
                            std::span<std::string_view> fields) const {
    const auto header = EnvelopeHeader::parse(envelope, kind_);
    if (!header) throw UnsealError{Reason::damaged};
    Secret plain = decrypted(*header, owner, envelope);
    FieldReader record{verified_record(*header, owner, envelope, plain.reveal())};

    for (const std::string_view expected :
         {record_format, name_of(kind_), std::string_view{installation_.text()},
          std::string_view{owner.text()}})
        if (next_field(record) != expected) throw UnsealError{Reason::damaged};
    for (auto& field : fields) field = next_field(record);
    if (!record.at_end()) throw UnsealError{Reason::damaged};
    return plain;
}

Secret EnvelopeOpener::decrypted(const EnvelopeHeader& header, const UserId& owner,
                                 std::string_view envelope) const {
    const auto secret = secrets_.find(header.ring_key);
    if (secret == secrets_.end()) throw UnsealError{Reason::key_unavailable};
    if (envelope.size() < envelope_overhead) throw UnsealError{Reason::damaged};
    const auto key =
        derive_envelope_key(secret->second, header.ephemeral_key,
                            {header, installation_, public_keys_.at(header.ring_key), owner});
    if (!key) throw UnsealError{Reason::damaged};

    constexpr std::array<unsigned char, crypto_aead_xchacha20poly1305_ietf_NPUBBYTES> nonce{};
    const auto body = envelope.substr(EnvelopeHeader::size);
    auto plain = Secret::of_size(body.size() - envelope_tag_size);
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(
            plain.writable().data(), nullptr, nullptr, bytes_of(body), body.size(),
            bytes_of(envelope), EnvelopeHeader::size, nonce.data(), bytes_of(key->reveal())) != 0)
        throw UnsealError{Reason::damaged};
    return plain;
}

/// Has the key that the header names signed it?
void EnvelopeOpener::verify(const EnvelopeHeader& header, std::string_view signature,
                            std::string_view padded) const {
    const auto signer = signers_.find(header.signer);
    if (signer == signers_.end()) throw UnsealError{Reason::key_unavailable};
    const SignedDigest record{header.kind, header.signer, digest_of_record(padded),
                              std::string{signature}};
    if (!is_signed(record, installation_, signer->second)) throw UnsealError{Reason::damaged};
}

/// The record without its padding, once it has been found to be signed: now, or when the same
/// envelope was opened before.
std::string_view EnvelopeOpener::verified_record(const EnvelopeHeader& header, const UserId& owner,
                                                 std::string_view envelope,
                                                 std::string_view plain) const {
    if (plain.size() < signature_size) throw UnsealError{Reason::damaged};
    const auto [signature, padded] = split_signature(plain);
    if (verified_ == nullptr) {
        verify(header, signature, padded);
    } else {
        const auto digest = VerifiedEnvelopes::digest_of(owner.text(), envelope);
        if (!verified_->contains(digest)) {
            verify(header, signature, padded);
            verified_->add(digest);
        }
    }
    std::size_t size = 0;
    if (sodium_unpad(&size, bytes_of(padded), padded.size(), record_padding) != 0)
        throw UnsealError{Reason::damaged};
    return padded.substr(0, size);
}

} // namespace usershell::crypto
