#include "crypto/opening/verified_envelopes.hpp"

#include "crypto/bytes.hpp"

#include <sodium.h>

namespace usershell::crypto {

/// Owners' ids are all of one length, so that owner and envelope need nothing between them.
VerifiedEnvelopes::Digest VerifiedEnvelopes::digest_of(std::string_view owner,
                                                       std::string_view envelope) {
    Digest digest{};
    crypto_generichash_state state;
    crypto_generichash_init(&state, nullptr, 0, digest.size());
    crypto_generichash_update(&state, bytes_of(owner), owner.size());
    crypto_generichash_update(&state, bytes_of(envelope), envelope.size());
    crypto_generichash_final(&state, digest.data(), digest.size());
    return digest;
}

bool VerifiedEnvelopes::contains(const Digest& digest) const {
    const std::scoped_lock lock{mutex_};
    return !digests_.empty() && digests_[place_of(digest)] == digest;
}

void VerifiedEnvelopes::add(const Digest& digest) {
    const std::scoped_lock lock{mutex_};
    if (digests_.empty()) digests_.resize(capacity);
    digests_[place_of(digest)] = digest;
}

std::size_t VerifiedEnvelopes::place_of(const Digest& digest) {
    return (std::size_t{digest[0]} << 8 | digest[1]) % capacity;
}

} // namespace usershell::crypto
