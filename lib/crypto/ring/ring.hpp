// The four key rings, as files. Each ring has a secret file, a credential of one program, and a
// public file for the others:
//
//   vault.secret  X25519 secret keys    usershell-execute      opens stored keys
//   vault.public  X25519 public keys    usershell-manage       seals them
//   web.secret    seeds                 usershell-manage       signs keys, encrypts avatars
//   web.public    Ed25519 public keys   usershell-execute      verifies what was signed
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
// fingerprint (ring_key_id.hpp), CREATED is RFC 3339 in UTC to the second, with Z; BASE64 is
// padded; one space separates words. Exactly one key is active, and no id appears twice.
//
// Refused: another role, half or form than is asked for; a key that its id does not name; a public
// key that is not canonical or of small order; a file that is not
// owned by root or by the user that the program runs as; one that its group or everybody may write
// and a secret one that everybody may read (systemd shows credentials as 0400 or, with an access
// list, 0440). Loading throws RingError with one sentence naming file and line, never a key. Rings
// are immutable after loading; any thread may read.
#pragma once

#include "base/error.hpp"
#include "crypto/ring/ring_key_id.hpp"
#include "crypto/secret.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace usershell::crypto {

class RingError : public Error {
public:
    explicit RingError(const std::string& what) : Error{what, Remedy::restore_rings} {}
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
};
/// The same for two rings with the same keys and the same one active: 32 hexadecimal digits. Says
/// nothing of the keys themselves.
std::string fingerprint_of(const RingSummary& ring);

template <RingRole role, bool secret>
RingSummary summary_of(const Ring<role, secret>& ring) {
    RingSummary summary{role, ring.installation, ring.active, {}};
    for (const auto& key : ring.keys) summary.ids.push_back(key.first);
    return summary;
}

/// A 32-byte subkey of a seed for one purpose ("sign", "avatar", "login-antiforgery")
/// and, where it is one user's, that user: BLAKE2b keyed with the seed over both, length-prefixed.
/// Throws Error for a seed of another size.
Secret derive_ring_key(const Secret& seed, std::string_view purpose, std::string_view user = {});

} // namespace usershell::crypto
