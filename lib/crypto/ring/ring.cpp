#include "crypto/ring/ring.hpp"

#include "crypto/bytes.hpp"
#include "crypto/length_prefixed.hpp"
#include "crypto/ring/ring_text.hpp"

#include <utility>

#include <sodium.h>

namespace usershell::crypto {

template <class Wanted>
Wanted load_ring(const std::filesystem::path& file) {
    auto read = read_ring(file, Wanted::kind);
    Wanted ring{std::move(read.installation), read.active, {}};
    if constexpr (Wanted::kind.secret)
        ring.keys = std::move(read.keys);
    else
        for (const auto& [id, key] : read.keys) ring.keys.emplace(id, key.reveal());
    return ring;
}

template VaultPublic load_ring<VaultPublic>(const std::filesystem::path&);
template VaultSecret load_ring<VaultSecret>(const std::filesystem::path&);
template WebPublic load_ring<WebPublic>(const std::filesystem::path&);
template WebSecret load_ring<WebSecret>(const std::filesystem::path&);
template AuthPublic load_ring<AuthPublic>(const std::filesystem::path&);
template AuthSecret load_ring<AuthSecret>(const std::filesystem::path&);
template MailPublic load_ring<MailPublic>(const std::filesystem::path&);
template MailSecret load_ring<MailSecret>(const std::filesystem::path&);

std::string fingerprint_of(const RingSummary& ring) {
    std::string ids;
    for (const auto& id : ring.ids) ids += id.text();
    return fingerprint(ring.role, ring.installation, ring.active.text() + ids).text();
}

Secret derive_ring_key(const Secret& seed, std::string_view purpose, std::string_view user) {
    static_assert(ring_key_size == crypto_generichash_KEYBYTES);
    if (seed.size() != ring_key_size) throw Error{"a ring seed has the wrong size"};
    const auto message = length_prefixed({purpose, user});
    auto key = Secret::of_size(crypto_generichash_BYTES);
    crypto_generichash(key.writable().data(), key.size(), bytes_of(message), message.size(),
                       bytes_of(seed.reveal()), seed.size());
    return key;
}

} // namespace usershell::crypto
