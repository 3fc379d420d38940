// The two key rings, as files. Each ring has a secret file (a credential of one program) and a
// public file (for the other program). A line a key; `#` begins a comment line:
//
//   vault.secret  ID BASE64(X25519 secret key) CREATED active|kept    for usershell-execute alone
//   vault.public  ID BASE64(X25519 public key)                        for usershell-manage, ctl
//   web.secret    ID BASE64(seed) CREATED active|kept                 for usershell-manage alone
//   web.public    ID BASE64(Ed25519 public key) CREATED active|kept   for usershell-execute
//
// ID is 16 lower-case hexadecimal digits, random; CREATED is RFC 3339 in UTC to the second, with Z;
// BASE64 is padded; one space stands between words. Exactly one key is active, vault.public has
// that one alone, and no id appears twice. A secret file that others than its owner and group may
// access, and any file that everybody may write, is refused (systemd shows credentials as 0400 or,
// with an access list, 0440). Loading throws RingError with one sentence naming file and line,
// never a key. Objects are immutable after loading; any thread may read.
#pragma once

#include "base/error.hpp"
#include "crypto/secret.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace usershell::crypto {

class RingError : public Error {
public:
    using Error::Error;
};

using RingKeyId = std::string;

inline constexpr std::size_t ring_key_id_size = 16; ///< digits of a RingKeyId
inline constexpr std::size_t ring_key_size = 32;    ///< bytes of every key in a ring

/// vault.public: whom scope secrets are sealed to.
struct VaultPublic {
    RingKeyId active;
    std::string public_key; ///< 32 bytes
};
VaultPublic load_vault_public(const std::filesystem::path& file);

/// vault.secret.
struct VaultSecret {
    RingKeyId active;
    std::map<RingKeyId, Secret, std::less<>> keys; ///< 32 bytes each
};
VaultSecret load_vault_secret(const std::filesystem::path& file);

/// web.public: verification keys of records that usershell-manage signed.
struct WebPublic {
    RingKeyId active;
    std::map<RingKeyId, std::string, std::less<>> verify_keys; ///< 32 bytes each
};
WebPublic load_web_public(const std::filesystem::path& file);

/// web.secret: seeds; each purpose's key is derived by derive_web_key.
struct WebSecret {
    RingKeyId active;
    std::map<RingKeyId, Secret, std::less<>> seeds; ///< 32 bytes each
};
WebSecret load_web_secret(const std::filesystem::path& file);

/// A 32-byte subkey of a seed for one purpose ("sign", "avatar", "login-antiforgery") and, where it
/// is one user's, that user: keyed BLAKE2b over both, length-prefixed. Throws std::invalid_argument
/// for a seed of another size.
Secret derive_web_key(const Secret& seed, std::string_view purpose, std::string_view user = {});

/// Makes the four files (secret ones mode 0600, public ones 0644) in an existing folder, whatever
/// the umask; on disk when it returns. Throws RingError and leaves nothing behind when any of them
/// is there already or can't be written.
void create_rings(const std::filesystem::path& directory);

} // namespace usershell::crypto
