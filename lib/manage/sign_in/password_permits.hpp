// Permits to hash a password in this process. There are few, because a hash takes a tenth of a
// second and much memory; only a permit can hash. take() never waits, because a request that waits
// holds a thread: without a free permit it is refused with 503 and Retry-After. Thread-safe.
#pragma once

#include "base/ids.hpp"
#include "crypto/password.hpp"

#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace usershell::manage {

class PasswordPermits {
public:
    /// `half` permits are for all requests; as many are kept for requests with a proof of a user.
    /// Throws Error as PasswordHasher does.
    explicit PasswordPermits(crypto::PasswordCost cost, std::size_t half = 2)
        : hasher_{cost},
          half_{half} {}

    /// Held until destruction. The PasswordPermits outlive it.
    class Permit {
    public:
        ~Permit();
        Permit(const Permit&) = delete;
        Permit& operator=(const Permit&) = delete;

        /// As of PasswordHasher.
        std::string hash(std::string_view password) const;
        std::string hash_with(const std::string& salt_and_cost, std::string_view password) const;

    private:
        friend class PasswordPermits;
        Permit(PasswordPermits& permits, const std::optional<UserId>& proven);

        PasswordPermits& permits_;
        std::optional<UserId> kept_for_;
    };

    /// `proven`: the user that the request has a proof of that costs no hash (a known browser, a
    /// mailed link, a password that was just right). A user has one kept permit at a time, so that
    /// no user takes them all. Without a kept one, a permit for anybody is given. Throws Refusal
    /// (unavailable) when none is free.
    Permit take(const std::optional<UserId>& proven) { return {*this, proven}; }

    /// As of PasswordHasher.
    std::string usual_cost() const { return hasher_.usual_cost(); }
    bool needs_rehash(const std::string& salt_and_cost) const {
        return hasher_.needs_rehash(salt_and_cost);
    }

private:
    crypto::PasswordHasher hasher_;
    std::size_t half_;
    std::mutex mutex_;
    std::size_t taken_ = 0; ///< permits for anybody
    std::set<UserId> kept_; ///< the users who have a kept one
};

} // namespace usershell::manage
