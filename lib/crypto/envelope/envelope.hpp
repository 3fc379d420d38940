// The envelope: how bytes are sealed to the public key of a ring, for one owner. In substance the
// base mode of HPKE (RFC 9180) with X25519, BLAKE2b and XChaCha20-Poly1305; docs/security.md has
// the format, the derivation and test vectors.
//
//   header   version ‖ kind ‖ ring key id ‖ signer's id ‖ ephemeral public key   (in the clear)
//   body     ciphertext and tag
//
// The key of an envelope is BLAKE2b-256, keyed with the X25519 product of ephemeral and ring key,
// over the length-prefixed (`usershell envelope 1`, kind, installation, ring key id, ephemeral
// public key, ring's public key, owner). It encrypts once, so the nonce is zero; the whole header
// is associated data. As the owner goes into it, what was sealed for one owner opens for no other,
// and users need no keys of their own.
//
// Here is what sealing (envelope/sealers.hpp) and opening (opening/envelope_opener.hpp) share. Pure
// functions. Internal to lib/crypto, but for the names of its constants.
#pragma once

#include "base/ids.hpp"
#include "crypto/ring/ring.hpp"
#include "crypto/secret.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::crypto {

/// The kind of content, a byte of the header.
enum class EnvelopeKind : unsigned char { key = 1, mail = 2, vault_entry = 3 };

/// "key", "mail" or "vault entry": in the derivation, the record and what is signed.
std::string_view name_of(EnvelopeKind kind);

struct EnvelopeHeader {
    static constexpr std::size_t public_key_size = 32;
    static constexpr std::size_t size = 2 + 2 * RingKeyId::size + public_key_size;

    EnvelopeKind kind;
    RingKeyId ring_key; ///< the one that opens it
    RingKeyId signer;   ///< the key that signed what is inside
    std::string ephemeral_key;

    std::string bytes() const;
    /// Parses the beginning of an envelope. Null when it is too short, or of another version or
    /// kind.
    static std::optional<EnvelopeHeader> parse(std::string_view envelope, EnvelopeKind kind);
};

/// Bytes of an envelope besides what is sealed in it.
inline constexpr std::size_t envelope_tag_size = 16;
inline constexpr std::size_t envelope_overhead = EnvelopeHeader::size + envelope_tag_size;

/// SHA-256 of a stored key's envelope, as PostgreSQL computes it: a key and the one
/// that replaces it have different ones.
std::string digest_of(const SealedKey& sealed);

/// The inputs of an envelope's key besides the X25519 product.
struct EnvelopeContext {
    const EnvelopeHeader& header;
    const InstallationId& installation;
    std::string_view ring_public_key;
    const UserId& owner;
};

/// The key of an envelope, from one side's secret key and the other's public key. Null when the
/// multiplication fails or gives zero: with a point of small order everybody knows the product.
std::optional<Secret> derive_envelope_key(const Secret& secret_key, std::string_view public_key,
                                          const EnvelopeContext& context);

// The signature of a record is over its digest. A rewrap can therefore have a record signed by a
// newer key without showing it: it opens records and has no key that signs, the program
// `usershellctl ring resign` has such keys and sees digests. Thread-safe. Internal to lib/crypto
// and ctl/rings.

inline constexpr std::size_t signature_size = 64; ///< bytes, Ed25519

/// The content of an envelope.
struct SignedRecord {
    std::string_view signature;
    std::string_view padded;
};
/// Views of `plain`, which has at least `signature_size` bytes.
inline SignedRecord split_signature(std::string_view plain) {
    return {plain.substr(0, signature_size), plain.substr(signature_size)};
}

using RecordDigest = std::array<unsigned char, 32>;

/// BLAKE2b-256 of a record with its padding.
RecordDigest digest_of_record(std::string_view padded);

/// A digest that a key has signed for an installation and a kind of envelope.
struct SignedDigest {
    EnvelopeKind kind;
    RingKeyId signer;
    RecordDigest digest;
    std::string signature; ///< of `signature_size` bytes
};

/// The bytes that are signed: length-prefixed `usershell signature 1`, kind, installation, signer's
/// id and digest.
std::string signed_message(EnvelopeKind kind, const InstallationId& installation,
                           const RingKeyId& signer, const RecordDigest& digest);

/// `public_key`: the signer's.
bool is_signed(const SignedDigest& record, const InstallationId& installation,
               std::string_view public_key);

/// Signs with a key made from `seed`, which is not kept.
class DigestSigner {
public:
    DigestSigner(InstallationId installation, const RingKeyId& signer, const Secret& seed);
    SignedDigest sign(EnvelopeKind kind, const RecordDigest& digest) const;

private:
    InstallationId installation_;
    RingKeyId signer_;
    Secret secret_key_;
};

/// Signs by a ring's active key what an earlier key of the same ring has signed, and only that.
/// Keeps a reference; the ring outlives it.
class Resigner {
public:
    explicit Resigner(const WebSecret& web);

    /// Throws Error when the ring lacks the signer, or the signature is not that key's.
    SignedDigest sign_again(const SignedDigest& record) const;

private:
    const WebSecret& web_;
    DigestSigner active_;
};

} // namespace usershell::crypto
