// The id of a key in a ring: the fingerprint of its public half, so that an id says which key is
// meant and no file can give one key another's name. Immutable values; pure functions.
#pragma once

#include "base/ids.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::crypto {

/// The four rings: `vault` opens stored keys, `web` signs them and encrypts avatars, `auth` signs
/// mails and what known browsers hold, `mail` opens queued mail.
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

} // namespace usershell::crypto
