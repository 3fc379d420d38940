// The signature of a record is over its digest. A rewrap can therefore have a record signed by a
// newer key without showing it: it opens records and has no key that signs, the program
// `usershellctl ring resign` has such keys and sees digests. Thread-safe. Internal to lib/crypto
// and ctl/rings.
#pragma once

#include "crypto/envelope/envelope.hpp"
#include "crypto/ring/ring.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace usershell::crypto {

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
