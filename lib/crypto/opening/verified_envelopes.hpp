// Remembers which envelopes have been found to be signed by the web ring, so that a key that is
// used again is not verified again: Ed25519 takes more time than all else that opening one does.
// Remembered is a digest of the ciphertext and its owner, which says nothing of the key. The
// envelope must still be decrypted first: only then is the record surely the one that was signed.
// Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <string_view>
#include <vector>

namespace usershell::crypto {

class VerifiedEnvelopes {
public:
    using Digest = std::array<unsigned char, 32>;

    /// The most digests, of 32 bytes each. A new one replaces another with the same first bytes.
    static constexpr std::size_t capacity = 4096;

    static Digest digest_of(std::string_view owner, std::string_view envelope);

    bool contains(const Digest& digest) const;
    void add(const Digest& digest);

private:
    static std::size_t place_of(const Digest& digest);

    mutable std::mutex mutex_;
    std::vector<Digest> digests_; ///< at their places; zeros: nothing
};

} // namespace usershell::crypto
