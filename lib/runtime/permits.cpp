#include "runtime/permits.hpp"

#include "base/error.hpp"

#include <chrono>

namespace usershell {

Permits::Permit::Permit(Permits& all, const std::optional<UserId>& user) : all_{all} {
    const std::scoped_lock lock{all_.mutex_};
    if (user && all_.users_.size() < all_.kept_ && all_.users_.insert(*user).second) {
        kept_for_ = user;
    } else if (all_.taken_ < all_.shared_) {
        ++all_.taken_;
    } else {
        throw unavailable(all_.refusal_, std::chrono::seconds{1});
    }
}

Permits::Permit::~Permit() {
    const std::scoped_lock lock{all_.mutex_};
    if (kept_for_)
        all_.users_.erase(*kept_for_);
    else
        --all_.taken_;
}

} // namespace usershell
