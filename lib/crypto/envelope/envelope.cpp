#include "crypto/envelope/envelope.hpp"

#include "crypto/bytes.hpp"
#include "crypto/ring/ring.hpp"
#include "crypto/token.hpp"

#include <utility>

#include <sodium.h>

namespace usershell::crypto {

namespace {

constexpr char version = 1;
constexpr std::string_view derivation_context = "usershell envelope 1";

static_assert(EnvelopeHeader::public_key_size == crypto_scalarmult_BYTES);
static_assert(envelope_tag_size == crypto_aead_xchacha20poly1305_ietf_ABYTES);
static_assert(crypto_generichash_BYTES == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);

/// Takes the first bytes off `rest`.
std::string_view take(std::string_view& rest, std::size_t size) {
    const auto taken = rest.substr(0, size);
    rest.remove_prefix(size);
    return taken;
}

} // namespace

std::string_view name_of(EnvelopeKind kind) {
    if (kind == EnvelopeKind::key) return "key";
    return kind == EnvelopeKind::mail ? "mail" : "vault entry";
}

std::string digest_of(const SealedKey& sealed) { return sha256(sealed.bytes()); }

std::string EnvelopeHeader::bytes() const {
    std::string bytes{version, static_cast<char>(kind)};
    bytes += ring_key.bytes();
    bytes += signer.bytes();
    return bytes + ephemeral_key;
}

std::optional<EnvelopeHeader> EnvelopeHeader::parse(std::string_view envelope, EnvelopeKind kind) {
    if (envelope.size() < size || envelope[0] != version || envelope[1] != static_cast<char>(kind))
        return std::nullopt;
    auto rest = envelope.substr(2);
    const auto ring_key = RingKeyId::from_bytes(take(rest, RingKeyId::size));
    const auto signer = RingKeyId::from_bytes(take(rest, RingKeyId::size));
    return EnvelopeHeader{kind, ring_key, signer, std::string{take(rest, public_key_size)}};
}

std::optional<Secret> derive_envelope_key(const Secret& secret_key, std::string_view public_key,
                                          const EnvelopeContext& context) {
    auto product = Secret::of_size(crypto_scalarmult_BYTES);
    if (secret_key.size() != crypto_scalarmult_SCALARBYTES ||
        public_key.size() != crypto_scalarmult_BYTES ||
        crypto_scalarmult(product.writable().data(), bytes_of(secret_key.reveal()),
                          bytes_of(public_key)) != 0 ||
        sodium_is_zero(bytes_of(product.reveal()), product.size()) == 1)
        return std::nullopt;
    const auto& header = context.header;
    const auto message =
        length_prefixed({derivation_context, name_of(header.kind), context.installation.text(),
                         header.ring_key.bytes(), header.ephemeral_key, context.ring_public_key,
                         context.owner.text()});
    auto key = Secret::of_size(crypto_generichash_BYTES);
    crypto_generichash(key.writable().data(), key.size(), bytes_of(message), message.size(),
                       bytes_of(product.reveal()), product.size());
    return key;
}

static_assert(signature_size == crypto_sign_BYTES);

RecordDigest digest_of_record(std::string_view padded) {
    RecordDigest digest{};
    crypto_generichash(digest.data(), digest.size(), bytes_of(padded), padded.size(), nullptr, 0);
    return digest;
}

std::string signed_message(EnvelopeKind kind, const InstallationId& installation,
                           const RingKeyId& signer, const RecordDigest& digest) {
    const std::string_view digest_bytes{reinterpret_cast<const char*>(digest.data()),
                                        digest.size()};
    return length_prefixed({"usershell signature 1", name_of(kind), installation.text(),
                            signer.bytes(), digest_bytes});
}

bool is_signed(const SignedDigest& record, const InstallationId& installation,
               std::string_view public_key) {
    const auto message = signed_message(record.kind, installation, record.signer, record.digest);
    return record.signature.size() == signature_size &&
           crypto_sign_verify_detached(bytes_of(record.signature), bytes_of(message),
                                       message.size(), bytes_of(public_key)) == 0;
}

DigestSigner::DigestSigner(InstallationId installation, const RingKeyId& signer, const Secret& seed)
    : installation_{std::move(installation)},
      signer_{signer},
      secret_key_{derive_signing_pair(seed).secret_key} {}

SignedDigest DigestSigner::sign(EnvelopeKind kind, const RecordDigest& digest) const {
    const auto message = signed_message(kind, installation_, signer_, digest);
    SignedDigest record{kind, signer_, digest, std::string(signature_size, '\0')};
    crypto_sign_detached(bytes_of(record.signature), nullptr, bytes_of(message), message.size(),
                         bytes_of(secret_key_.reveal()));
    return record;
}

Resigner::Resigner(const WebSecret& web)
    : web_{web},
      active_{web.installation, web.active, web.keys.at(web.active)} {}

SignedDigest Resigner::sign_again(const SignedDigest& record) const {
    const auto signer = web_.keys.find(record.signer);
    if (signer == web_.keys.end() ||
        !is_signed(record, web_.installation, public_half(RingRole::web, signer->second)))
        throw Error{"A record was not signed by a key of this web ring."};
    return active_.sign(record.kind, record.digest);
}

} // namespace usershell::crypto
