// Records, and their sealing: keys and mails go in.
#pragma once

#include "base/ids.hpp"
#include "crypto/envelope/envelope.hpp"
#include "crypto/ring/ring.hpp"
#include "crypto/secret.hpp"

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::crypto {

// Signs records and seals them to one ring. Internal to lib/crypto; handlers use the sealers
// below.

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

// Sealing: keys and mails go in, and only the library opening, which
// usershell-manage, -auth and -execute do not link, gets them out. Each sealer signs with the
// active key of its first ring and seals to the active key of the other. The constructors throw
// RingError when the rings are not of one installation. Thread-safe after construction.

/// The row that a key, or the value of a header, belongs to and where it may be sent. It opens for
/// exactly these.
struct KeyBinding {
    UserId owner; ///< for an administrator's global provider: global_owner()
    ProviderId provider;
    std::optional<AccountId> account; ///< null: the provider-level key
    std::string type;                 ///< the provider type's value in the catalogue
    std::string base_url;             ///< BaseUrl::text(), all of it
    std::string header{};             ///< its name; empty: a key
};

class KeySealer {
public:
    KeySealer(const WebSecret& web, const VaultPublic& vault);
    SealedKey seal(const KeyBinding& binding, const Secret& key) const;

private:
    EnvelopeSealer sealer_;
};

/// The hint of a key. 20 bytes or more: first 3, "…", last 4; 12 to 19: "…" and last 4; shorter:
/// "••••".
std::string key_hint(const Secret& key);

/// The entry of the earlier flat vault that a key belongs to and where it may be sent.
struct VaultEntryBinding {
    UserId owner;
    VaultEntryId entry;
    std::string kind;     ///< a provider type's value in the catalogue
    std::string base_url; ///< BaseUrl::text(); empty: the catalogue's default for that kind
};

/// For an operator's import. crypto/unseal opens such a key once the entry is folded into the
/// provider store (sql/0018_legacy.sql).
class VaultEntrySealer {
public:
    VaultEntrySealer(const WebSecret& web, const VaultPublic& vault);
    SealedKey seal(const VaultEntryBinding& binding, const Secret& key) const;

private:
    EnvelopeSealer sealer_;
};

/// The row of the outbox that a mail belongs to, and until when it is worth sending.
struct MailBinding {
    UserId owner;
    MailId mail;
    std::chrono::sys_seconds valid_until;
};

class MailSealer {
public:
    MailSealer(const AuthSecret& auth, const MailPublic& mail);
    SealedMail seal(const MailBinding& binding, std::string_view content) const;

private:
    EnvelopeSealer sealer_;
};

// A record: the signed content of an envelope. Its length-prefixed fields begin with
//
//   `usershell record 1` ‖ kind ‖ installation ‖ owner
//
// and continue with the members of one of the structs below, in their order. No ring key is named
// in it, so that a record keeps its bytes when another key seals or signs it. An envelope seals
// signature ‖ padded record; the signature (envelope/envelope.hpp) is over the digest of the
// padded record. Internal to lib/crypto and lib/mail.

inline constexpr std::string_view record_format = "usershell record 1";

/// Stands in place of an account's id in the record of a provider-level key.
inline constexpr std::string_view provider_level = "provider";

/// The member `account` of the key's record. No two rows of an owner have the same.
inline std::string place_of(const KeyBinding& row) {
    if (!row.header.empty()) return row.provider.text() + " " + row.header;
    return row.account ? row.account->text() : std::string{provider_level};
}

struct KeyRecord {
    static constexpr std::size_t size = 5;
    std::string_view provider;
    std::string_view account; ///< or `provider_level`, or of a header: provider, blank, name
    std::string_view type;
    std::string_view base_url;
    std::string_view key;
};

struct VaultEntryRecord {
    static constexpr std::size_t size = 4;
    std::string_view entry;
    std::string_view kind;     ///< type of provider
    std::string_view base_url; ///< empty: the default of `kind`
    std::string_view key;
};

struct MailRecord {
    static constexpr std::size_t size = 3;
    std::string_view mail;
    std::string_view valid_until; ///< decimal seconds since 1970
    std::string_view content;
};

/// Bytes to a multiple of which a record is padded (sodium_pad): a length shows only in such steps.
inline constexpr std::size_t record_padding = 128;

} // namespace usershell::crypto
