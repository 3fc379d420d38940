#include "execute/relay/user_shares.hpp"

namespace usershell::execute {

bool UserShares::Share::grow_to(std::size_t amount) {
    if (amount <= amount_) return true;
    const std::size_t more = amount - amount_;
    const std::scoped_lock lock{shares_.mutex_};
    const auto found = shares_.taken_by_.find(user_);
    const std::size_t has = found == shares_.taken_by_.end() ? 0 : found->second;
    if (shares_.taken_ + more > shares_.all_ || has + more > shares_.of_user_) return false;
    shares_.taken_ += more;
    shares_.taken_by_[user_] += more;
    amount_ = amount;
    return true;
}

void UserShares::Share::give_back() {
    if (amount_ == 0) return;
    const std::scoped_lock lock{shares_.mutex_};
    shares_.taken_ -= amount_;
    const auto found = shares_.taken_by_.find(user_);
    found->second -= amount_;
    if (found->second == 0) shares_.taken_by_.erase(found);
    amount_ = 0;
}

} // namespace usershell::execute
