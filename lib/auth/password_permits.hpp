// Permits to hash a password in this process: a hash takes a tenth of a second and much memory, and
// only a permit can hash. Half of them are kept for users with a proof that costs no hash: a known
// browser, a mailed link, a password that was just right. Thread-safe.
#pragma once

#include "crypto/password.hpp"
#include "runtime/permits.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::auth {

class PasswordPermits {
public:
    /// Throws Error as PasswordHasher does. `refusal`: as of Permits.
    PasswordPermits(crypto::PasswordCost cost, English refusal)
        : hasher_{cost},
          permits_{half, half, refusal} {}

    class Permit {
    public:
        /// As of PasswordHasher.
        std::string hash(std::string_view password) const { return hasher_.hash(password); }
        std::string hash_with(const std::string& salt_and_cost, std::string_view password) const {
            return hasher_.hash_with(salt_and_cost, password);
        }

    private:
        friend class PasswordPermits;
        Permit(PasswordPermits& all, const std::optional<UserId>& proven)
            : hasher_{all.hasher_},
              permit_{all.permits_.take(proven)} {}

        const crypto::PasswordHasher& hasher_;
        Permits::Permit permit_;
    };

    /// As Permits::take().
    Permit take(const std::optional<UserId>& proven) { return {*this, proven}; }

    /// As of PasswordHasher.
    std::string usual_cost() const { return hasher_.usual_cost(); }
    bool needs_rehash(const std::string& salt_and_cost) const {
        return hasher_.needs_rehash(salt_and_cost);
    }

private:
    static constexpr std::size_t half = 2;

    crypto::PasswordHasher hasher_;
    Permits permits_;
};

} // namespace usershell::auth
