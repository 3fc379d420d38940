#include "rings.hpp"

#include "crypto/ring/ring.hpp"

namespace usershell::fuzz {

namespace {

using namespace crypto;

const InstallationId installation = *InstallationId::parse("5f6f1c0e-0000-4000-8000-00000000000a");

/// 32 bytes, each one more than the one before.
Secret counting(unsigned char first) {
    auto secret = Secret::of_size(ring_key_size);
    for (unsigned char& byte : secret.writable()) byte = first++;
    return secret;
}

template <RingRole role>
struct Halves {
    SecretRing<role> secret;
    PublicRing<role> open;
};

template <RingRole role>
Halves<role> both(unsigned char first) {
    auto secret = counting(first);
    const auto half = public_half(role, secret);
    const auto id = fingerprint(role, installation, half);
    SecretRing<role> opening{installation, id, {}};
    opening.keys.emplace(id, std::move(secret));
    return {std::move(opening), {installation, id, {{id, half}}}};
}

Rings made() {
    start_crypto();
    auto vault = both<RingRole::vault>(0x20);
    auto web = both<RingRole::web>(0x00);
    auto auth = both<RingRole::auth>(0x80);
    auto mail = both<RingRole::mail>(0x40);
    return {std::move(vault.secret), std::move(vault.open),  std::move(web.secret),
            std::move(web.open),     std::move(auth.secret), std::move(auth.open),
            std::move(mail.secret),  std::move(mail.open)};
}

} // namespace

const Rings& rings() {
    static const Rings all = made();
    return all;
}

} // namespace usershell::fuzz
