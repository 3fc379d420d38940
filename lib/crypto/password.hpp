// Passwords of people: Argon2id by crypto_pwhash_str. A hash takes memlimit bytes while it is made;
// the caller bounds how many are. Immutable; any thread may call. hash() and hash_with() throw
// std::bad_alloc when memory is short: that is no wrong password.
//
// The store keeps salt and cost and a hash of the text, which never leaves it. To check a password,
// the caller gets salt and cost ($argon2id$v=19$m=KIB,t=PASSES,p=1$SALT), hashes the given password
// with them (hash_with()), and the store compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace usershell::crypto {

struct PasswordCost {
    std::uint64_t opslimit; ///< passes over the memory
    std::size_t memlimit;   ///< bytes
};

class PasswordHasher {
public:
    /// Throws Error for a cost outside libsodium's limits.
    explicit PasswordHasher(PasswordCost cost);

    /// A crypto_pwhash_str text for the store, of the password's form of RFC 8265
    /// (base/text.hpp); as it is when it has none.
    std::string hash(std::string_view password) const;

    /// The same text for a stored hash's salt and cost: equal to that of hash() when the password
    /// is, byte by byte. Empty when `salt_and_cost` is none of ours.
    std::string hash_with(const std::string& salt_and_cost, std::string_view password) const;

    /// The cost of new hashes, as the beginning of a text of salt and cost:
    /// "$argon2id$v=19$m=65536,t=3,p=1".
    std::string usual_cost() const;

    /// True when that hash was made with fewer passes or less memory than ours, or not by Argon2id.
    /// So a raised setting reaches a stored hash at its user's next sign-in, and a lowered one
    /// weakens none.
    bool needs_rehash(const std::string& salt_and_cost) const;

private:
    PasswordCost cost_;
};

} // namespace usershell::crypto
