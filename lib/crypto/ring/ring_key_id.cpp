#include "crypto/ring/ring_key_id.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "crypto/bytes.hpp"
#include "crypto/length_prefixed.hpp"

#include <algorithm>

#include <sodium.h>

namespace usershell::crypto {

namespace {

constexpr std::string_view fingerprint_context = "usershell ring key 1";

} // namespace

std::string_view name_of(RingRole role) {
    switch (role) {
    case RingRole::vault:
        return "vault";
    case RingRole::web:
        return "web";
    case RingRole::auth:
        return "auth";
    case RingRole::mail:
        break;
    }
    return "mail";
}

std::optional<RingKeyId> RingKeyId::parse(std::string_view digits) {
    const bool well_formed = digits.size() == 2 * size &&
                             digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    std::string bytes(size, '\0');
    if (!well_formed || sodium_hex2bin(bytes_of(bytes), bytes.size(), digits.data(), digits.size(),
                                       nullptr, nullptr, nullptr) != 0)
        return std::nullopt;
    return from_bytes(bytes);
}

RingKeyId RingKeyId::from_bytes(std::string_view bytes) {
    if (bytes.size() != size) throw Error{"a ring key id has the wrong size"};
    RingKeyId id;
    std::ranges::copy(bytes, id.bytes_.begin());
    return id;
}

std::string RingKeyId::text() const { return hex(bytes()); }

RingKeyId fingerprint(RingRole role, const InstallationId& installation,
                      std::string_view public_key) {
    const auto message =
        length_prefixed({fingerprint_context, name_of(role), installation.text(), public_key});
    std::string hash(RingKeyId::size, '\0');
    crypto_generichash(bytes_of(hash), hash.size(), bytes_of(message), message.size(), nullptr, 0);
    return RingKeyId::from_bytes(hash);
}

} // namespace usershell::crypto
