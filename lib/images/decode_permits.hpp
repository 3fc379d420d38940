// How many pictures are decoded at a time in this process: a few, and at most one of each user.
// Nobody waits, because who waits holds a request thread: without a free permit the request is
// refused with 503 and Retry-After. Thread-safe.
#pragma once

#include "base/ids.hpp"

#include <cstddef>
#include <mutex>
#include <vector>

namespace usershell::images {

class DecodePermits {
public:
    explicit DecodePermits(std::size_t permits = 2);

    /// A permit, until destruction. The DecodePermits outlive it.
    class Permit {
    public:
        ~Permit();
        Permit(const Permit&) = delete;
        Permit& operator=(const Permit&) = delete;

    private:
        friend class DecodePermits;
        Permit(DecodePermits& permits, UserId user);

        DecodePermits& places_;
        UserId user_;
    };

    /// Throws Refusal (unavailable) when all permits are taken, or one by this user.
    Permit take(const UserId& user) { return {*this, user}; }

private:
    std::size_t places_;
    std::mutex mutex_;
    std::vector<UserId> users_; ///< who has a permit
};

} // namespace usershell::images
