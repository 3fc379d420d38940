// Permits for expensive work in this process. take() never waits, because a request that waits
// holds a thread: without a free permit it is refused with 503 and Retry-After. Thread-safe.
#pragma once

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/sentence.hpp"

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <set>

namespace usershell {

class Permits {
public:
    /// `kept` permits are for known users, at most one for each; `shared` permits are for
    /// everybody. `refusal`: the sentence when no permit is free.
    Permits(std::size_t kept, std::size_t shared, English refusal)
        : kept_{kept},
          shared_{shared},
          refusal_{refusal} {}

    /// Held until destruction. The Permits outlive it.
    class Permit {
    public:
        ~Permit() {
            const std::scoped_lock lock{all_.mutex_};
            if (kept_for_)
                all_.users_.erase(*kept_for_);
            else
                --all_.taken_;
        }
        Permit(const Permit&) = delete;
        Permit& operator=(const Permit&) = delete;

    private:
        friend class Permits;
        Permit(Permits& all, const std::optional<UserId>& user) : all_{all} {
            const std::scoped_lock lock{all_.mutex_};
            if (user && all_.users_.size() < all_.kept_ && all_.users_.insert(*user).second)
                kept_for_ = user;
            else if (all_.taken_ < all_.shared_)
                ++all_.taken_;
            else
                throw unavailable(all_.refusal_, std::chrono::seconds{1});
        }

        Permits& all_;
        std::optional<UserId> kept_for_;
    };

    /// A kept permit of this user, else a shared one. Throws Refusal unavailable.
    Permit take(const std::optional<UserId>& user) { return {*this, user}; }

private:
    const std::size_t kept_;
    const std::size_t shared_;
    English refusal_;
    std::mutex mutex_;
    std::set<UserId> users_; ///< who has a kept permit
    std::size_t taken_ = 0;  ///< shared permits
};

} // namespace usershell
