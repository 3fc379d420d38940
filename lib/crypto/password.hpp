// Passwords of people: Argon2id by crypto_pwhash_str. At most `parallel` hashes run at a time in a
// process (each takes memlimit bytes); the others wait, so that a flood of sign-ins costs bounded
// memory and CPU. Thread-safe. hash() and verify() throw std::bad_alloc when memory is short: that
// is no wrong password.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace usershell::crypto {

struct PasswordCost {
    std::uint64_t opslimit; ///< passes over the memory
    std::size_t memlimit;   ///< bytes
};

class PasswordHasher {
public:
    /// Hashes once, for nobody. Throws std::invalid_argument for a cost outside libsodium's limits
    /// or for `parallel` 0.
    explicit PasswordHasher(PasswordCost cost, unsigned parallel = 4);
    ~PasswordHasher();
    PasswordHasher(const PasswordHasher&) = delete;
    PasswordHasher& operator=(const PasswordHasher&) = delete;

    /// A crypto_pwhash_str text for the store.
    std::string hash(std::string_view password) const;

    /// `stored` empty (no such user, no password set): the same work is done against a hash of
    /// nobody's password, and the answer is false.
    bool verify(const std::string& stored, std::string_view password) const;

    /// True when `stored` was made with fewer passes or less memory than ours, or by no Argon2id at
    /// all: a setting that has risen is caught up with at the next sign-in, one that was lowered
    /// weakens nothing.
    bool needs_rehash(const std::string& stored) const;

private:
    struct Gate;
    PasswordCost cost_;
    std::string nobody_;
    std::unique_ptr<Gate> gate_;
};

} // namespace usershell::crypto
