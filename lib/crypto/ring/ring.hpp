// Key rings: their keys' ids, their files, and the halves of a key.
#pragma once

#include "base/error.hpp"
#include "base/ids.hpp"
#include "crypto/secret.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace usershell::crypto {

// The id of a key in a ring: the fingerprint of its public half, so that an id says which key is
// meant and no file can give one key another's name. Immutable values; pure functions.

/// The four rings: `vault` opens stored keys, `web` signs them and encrypts avatars, `auth` signs
/// mails and what known browsers hold and masks apps' secrets, `mail` opens queued mail.
enum class RingRole { vault, web, auth, mail };
/// Its secret keys are seeds, which sign; those of the others open what is sealed.
constexpr bool signs(RingRole role) { return role == RingRole::web || role == RingRole::auth; }
inline constexpr std::array all_ring_roles{RingRole::vault, RingRole::web, RingRole::auth,
                                           RingRole::mail};

/// "vault", "web", "auth" or "mail": in ring files, fingerprints and the database.
std::string_view name_of(RingRole role);

class RingKeyId {
public:
    static constexpr std::size_t size = 16; ///< bytes

    /// 32 lower-case hexadecimal digits; nothing for anything else.
    static std::optional<RingKeyId> parse(std::string_view digits);
    /// Exactly `size` bytes; Error for another number.
    static RingKeyId from_bytes(std::string_view bytes);

    std::string_view bytes() const { return {bytes_.data(), bytes_.size()}; }
    std::string text() const; ///< as parse() takes it

    friend bool operator==(const RingKeyId&, const RingKeyId&) = default;
    friend auto operator<=>(const RingKeyId&,
                            const RingKeyId&) = default; // NOLINT(modernize-use-nullptr)

private:
    RingKeyId() = default;

    std::array<char, size> bytes_{};
};

/// BLAKE2b-128 of the length-prefixed (`usershell ring key 1`, role, installation, public key).
/// With role and installation in it, a key that is put into a file of another role or installation
/// no longer fits its id.
RingKeyId fingerprint(RingRole role, const InstallationId& installation,
                      std::string_view public_key);

// The four key rings, as files. Each ring has a secret file, a credential of one program, and a
// public file for the others:
//
//   vault.secret  X25519 secret keys    usershell-opener       opens stored keys
//   vault.public  X25519 public keys    usershell-manage       seals them
//   web.secret    seeds                 usershell-manage       signs keys, encrypts avatars
//   web.public    Ed25519 public keys   usershell-opener       verifies what was signed
//   auth.secret   seeds                 usershell-auth, ctl    signs mails, known browsers
//   auth.public   Ed25519 public keys   usershell-mail         verifies mails
//   mail.secret   X25519 secret keys    usershell-mail         opens queued mail
//   mail.public   X25519 public keys    usershell-auth, ctl    seals it
//
// A file begins with a heading and goes on with a line a key; `#` begins a comment line:
//
//   usershell-ring 1 ROLE secret|public INSTALLATION
//   ID BASE64(32 bytes) CREATED active|kept
//
// INSTALLATION is the UUID that the database holds too (store/installation.hpp). ID is the key's
// fingerprint (fingerprint()), CREATED is RFC 3339 in UTC to the second, with Z; BASE64 is
// padded; one space separates words. Exactly one key is active, and no id appears twice.
//
// Refused: another role, half or form than is asked for; a key that its id does not name; a public
// key that is not canonical or of small order; a file that is not
// owned by root or by the user that the program runs as; one that its group or everybody may write
// and a secret one that everybody may read (systemd shows credentials as 0400 or, with an access
// list, 0440). Loading throws RingError with one sentence naming file and line, never a key. Rings
// are immutable after loading; any thread may read.

class RingError : public Error {
public:
    explicit RingError(const std::string& what, Remedy remedy = Remedy::restore_rings)
        : Error{what, remedy} {}
};

inline constexpr std::size_t ring_key_size = 32; ///< bytes of every key in a ring

/// Names one of the files.
struct RingKind {
    RingRole role;
    bool secret;
};

/// The rings are types of their own, so that a mail ring can't be passed for a vault.
template <RingRole role, bool secret>
struct Ring {
    static constexpr RingKind kind{role, secret};
    using Key = std::conditional_t<secret, Secret, std::string>;

    InstallationId installation;
    RingKeyId active;
    std::map<RingKeyId, Key> keys; ///< ring_key_size bytes each; seeds in secret rings that sign
};
template <RingRole role>
using PublicRing = Ring<role, false>;
template <RingRole role>
using SecretRing = Ring<role, true>;
using VaultPublic = PublicRing<RingRole::vault>;
using VaultSecret = SecretRing<RingRole::vault>;
using WebPublic = PublicRing<RingRole::web>;
using WebSecret = SecretRing<RingRole::web>;
using AuthPublic = PublicRing<RingRole::auth>;
using AuthSecret = SecretRing<RingRole::auth>;
using MailPublic = PublicRing<RingRole::mail>;
using MailSecret = SecretRing<RingRole::mail>;

/// load_ring<VaultSecret>(file); for the types above.
template <class Wanted>
Wanted load_ring(const std::filesystem::path& file);

/// A ring as others know it: what a program compares with the database when it starts.
struct RingSummary {
    RingRole role;
    InstallationId installation;
    RingKeyId active;
    std::vector<RingKeyId> ids; ///< in their order
    bool uses_active = true;    ///< who opens or verifies alone does not
};
/// The same for two rings with the same keys and, where it is used, the same one active: 32
/// hexadecimal digits. Says nothing of the keys themselves.
std::string fingerprint_of(const RingSummary& ring);
/// Of a program that has the keys of this ring, and the active one if the program uses it.
bool is_fingerprint_of(std::string_view fingerprint, RingSummary ring);

template <RingRole role, bool secret>
RingSummary summary_of(const Ring<role, secret>& ring) {
    RingSummary summary{role, ring.installation, ring.active, {}, secret == signs(role)};
    for (const auto& key : ring.keys) summary.ids.push_back(key.first);
    return summary;
}

/// A 32-byte subkey of a seed for one purpose ("sign", "avatar", "login-antiforgery")
/// and, where it is one user's, that user: BLAKE2b keyed with the seed over both, length-prefixed.
/// Throws Error for a seed of another size.
Secret derive_ring_key(const Secret& seed, std::string_view purpose, std::string_view user = {});

/// The mask under which the database has an authenticator app's secret (sql/0024_factors.sql): 20
/// bytes, as many as the secret has. Null when the ring has no such key.
std::optional<std::string> app_mask(const AuthSecret& auth, std::string_view ring_key_id,
                                    const UserId& user, const std::string& salt);

// Key pairs of the rings: the public half that a secret one gives, and which public keys may be
// used at all. Pure functions. Internal to lib/crypto.

/// The Ed25519 key pair of a signing ring's seed: the public file has the public half, and the
/// secret half signs stored records.
struct SigningPair {
    std::string public_key; ///< 32 bytes
    Secret secret_key;      ///< 64 bytes, as libsodium keeps it
};
SigningPair derive_signing_pair(const Secret& seed);

/// The public half of a key in a secret file: X25519, or of a signing ring Ed25519.
std::string public_half(RingRole role, const Secret& key);

/// May anything be sealed to it, or verified with it? Not with a point of small order (what comes
/// of it is known to everybody), and only in the one canonical spelling of a point (of two
/// spellings, the two sides would derive two keys).
bool is_usable_public_key(RingRole role, std::string_view public_key);

} // namespace usershell::crypto
