#include "target.hpp"

#include "crypto/ring/ring.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace usershell::fuzz {

namespace {

using namespace crypto;

std::vector<const Target*>& registered() {
    static std::vector<const Target*> all;
    return all;
}

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

Target::Target(std::string_view its_name, void (*its_run)(std::string_view),
               std::size_t its_largest, std::size_t its_memory)
    : name{its_name},
      run{its_run},
      largest{its_largest},
      memory{its_memory} {
    registered().push_back(this);
    std::ranges::sort(registered(), {}, &Target::name);
}

const std::vector<const Target*>& targets() { return registered(); }

void fail(std::string_view rule) {
    std::cerr << "broken rule: " << rule << std::endl;
    std::abort();
}

std::string_view Input::piece(char separator) {
    const auto end = std::min(rest_.find(separator), rest_.size());
    const auto piece = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return piece;
}

std::vector<std::string_view> cut(std::string_view text, std::size_t seed) {
    std::vector<std::string_view> pieces;
    while (!text.empty()) {
        seed = seed * 1103515245 + 12345;
        const auto size = std::min(text.size(), (seed >> 16U) % 61 + 1);
        pieces.push_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return pieces;
}

const Rings& rings() {
    static const Rings all = made();
    return all;
}

} // namespace usershell::fuzz
