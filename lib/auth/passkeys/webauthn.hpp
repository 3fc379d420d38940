// Passkeys: verifies what a browser sends of them (W3C Web Authentication, level 3), by libcrypto.
// All of it is a stranger's, so a fault gives null; nothing but std::bad_alloc is thrown. Pure; any
// thread may call.
//
// Client data (5.8.1, 7.1, 7.2): at most 2 KiB, JSON as strict as of any request (web/body.hpp).
// `type` is the ceremony's, `challenge` and `origin` are equal to ours. `crossOrigin` is absent or
// false and `topOrigin` absent, as no page of ours is in a frame. Other members are ignored.
//
// Authenticator data (6.1, 7.1, 7.2): the hash is of our RP ID, a person was present (UP), and what
// is backed up (BS) may be (BE). A registration has a credential ID of 1 to 1,023 bytes (AT);
// the CBOR behind it is not read. An assertion has 37 bytes, and more only with extensions
// (ED), which are ignored. If a person has to be verified (UV) is the caller's decision.
//
// Keys (5.2.1.1, 5.8.5): the browser gives them as SubjectPublicKeyInfo. ES256 is with P-256
// and an uncompressed point, EdDSA with Ed25519, RS256 with RSA of 2048 to 4096 bits.
//
// Attestation is `none`, so nothing signs a registration: only an assertion shows that the
// private key is there. The caller holds that no credential ID is registered twice (7.1), that each
// challenge is used once, and compares `counter` and `is_synced` with those stored (7.2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::auth::passkeys {

struct Expected {
    std::string origin; ///< "https://usershell.example"
    std::string rp_id;  ///< "usershell.example"
    std::string challenge;
};

struct PublicKey {
    std::string spki; ///< SubjectPublicKeyInfo in DER, at most 600 bytes
    int algorithm{};  ///< of COSE: -7 (ES256), -8 (EdDSA) or -257 (RS256)
};

struct Registration {
    std::string credential_id;
    std::uint32_t counter;
    bool is_synced; ///< other devices may have the private key, too: BE
};

/// Of an AuthenticatorAttestationResponse: clientDataJSON, getAuthenticatorData(), getPublicKey()
/// and getPublicKeyAlgorithm().
struct RegistrationResponse {
    std::string_view client_data;
    std::string_view authenticator_data;
    PublicKey key;
};
std::optional<Registration> verify_registration(const RegistrationResponse& response,
                                                const Expected& expected);

struct Assertion {
    std::uint32_t counter;
    bool is_verified; ///< the person, by a PIN or a finger: UV
    bool is_synced;   ///< as of the registration
};

/// Of an AuthenticatorAssertionResponse.
struct AssertionResponse {
    std::string_view client_data;
    std::string_view authenticator_data;
    std::string_view signature;
};
/// `key`: of the registration.
std::optional<Assertion> verify_assertion(const AssertionResponse& response, const PublicKey& key,
                                          const Expected& expected);

} // namespace usershell::auth::passkeys
