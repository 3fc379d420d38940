// A limited number that the calls of this process share, of which one user has at most a part: the
// calls that wait. Their memory: runtime/call_memory.hpp. Any thread.
#pragma once

#include "base/ids.hpp"

#include <cstddef>
#include <map>
#include <mutex>

namespace usershell::execute {

class UserShares {
public:
    UserShares(std::size_t all, std::size_t of_user) : all_{all}, of_user_{of_user} {}

    /// The amount that one call has taken, until it is gone.
    class Share {
    public:
        Share(UserShares& shares, UserId user) : shares_{shares}, user_{std::move(user)} {}
        ~Share() { give_back(); }
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;

        /// Takes what is missing. False, and nothing is taken, when that is more than there is.
        bool grow_to(std::size_t amount);
        void give_back();

    private:
        UserShares& shares_;
        UserId user_;
        std::size_t amount_ = 0;
    };

private:
    const std::size_t all_;
    const std::size_t of_user_;
    std::mutex mutex_;
    std::size_t taken_ = 0;
    std::map<UserId, std::size_t> taken_by_; ///< no zeros
};

} // namespace usershell::execute
