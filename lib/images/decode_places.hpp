// How many pictures are decoded at a time in this process: a few, and at most one of each user.
// Nobody waits, because who waits holds a request thread: without a free place the request is
// refused with 503 and Retry-After. Thread-safe.
#pragma once

#include "base/ids.hpp"

#include <cstddef>
#include <mutex>
#include <vector>

namespace usershell::images {

class DecodePlaces {
public:
    explicit DecodePlaces(std::size_t places = 2);

    /// A place, until destruction. The DecodePlaces outlive it.
    class Place {
    public:
        ~Place();
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

    private:
        friend class DecodePlaces;
        Place(DecodePlaces& places, UserId user);

        DecodePlaces& places_;
        UserId user_;
    };

    /// Throws Refusal (unavailable) when all places are taken, or one by this user.
    Place take(const UserId& user) { return {*this, user}; }

private:
    std::size_t places_;
    std::mutex mutex_;
    std::vector<UserId> users_; ///< who has a place
};

} // namespace usershell::images
