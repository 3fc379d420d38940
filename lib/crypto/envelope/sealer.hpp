// Signs records and seals them to one ring. Internal to lib/crypto; handlers seal through
// envelope/sealers.hpp.
#pragma once

#include "crypto/envelope/signature.hpp"
#include "crypto/ring/ring.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace usershell::crypto {

/// A key of a ring that something is sealed to.
struct RingRecipient {
    RingKeyId id;
    std::string public_key; ///< 32 bytes
};

/// An envelope of what is signed and padded already, for one owner: header with a fresh ephemeral
/// key, ciphertext and tag. Throws Error when nothing may be sealed to that key.
std::string seal_signed(EnvelopeKind kind, const RingRecipient& recipient, const RingKeyId& signer,
                        const InstallationId& installation, const UserId& owner,
                        const Secret& signed_record);

class EnvelopeSealer {
public:
    /// Signs with a key made from `seed`, which is not kept. Throws Error when nothing may be
    /// sealed to the recipient's key.
    EnvelopeSealer(EnvelopeKind kind, InstallationId installation, const RingKeyId& signer,
                   const Secret& seed, RingRecipient recipient);

    /// `fields`: of the record, after the owner.
    std::string seal(const UserId& owner, std::initializer_list<std::string_view> fields) const;

    /// The same with an ephemeral key of the caller's, for known answers. An ephemeral key that is
    /// used twice gives both plaintexts away.
    std::string seal_with(const Secret& ephemeral_secret, const UserId& owner,
                          std::initializer_list<std::string_view> fields) const;

private:
    Secret signed_record(const UserId& owner, std::initializer_list<std::string_view> fields) const;

    EnvelopeKind kind_;
    InstallationId installation_;
    RingKeyId signer_;
    DigestSigner signing_key_;
    RingRecipient recipient_;
};

/// Signs with the active key of `signer`, seals to the active key of `ring`. Throws RingError when
/// they are not of one installation.
template <RingRole signing, RingRole role>
EnvelopeSealer sealer_to(EnvelopeKind kind, const SecretRing<signing>& signer,
                         const PublicRing<role>& ring) {
    static_assert(signs(signing) && !signs(role));
    if (signer.installation != ring.installation)
        throw RingError{"The " + std::string{name_of(signing)} + " ring and the " +
                        std::string{name_of(role)} + " ring are not of one installation."};
    return {kind,
            signer.installation,
            signer.active,
            signer.keys.at(signer.active),
            {ring.active, ring.keys.at(ring.active)}};
}

} // namespace usershell::crypto
