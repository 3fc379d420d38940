#include "manage/sign_in/password_permits.hpp"

#include "base/error.hpp"

#include <chrono>

namespace usershell::manage {

PasswordPermits::Permit::Permit(PasswordPermits& permits, const std::optional<UserId>& proven)
    : permits_{permits} {
    const std::scoped_lock lock{permits_.mutex_};
    if (proven && permits_.kept_.size() < permits_.half_ && permits_.kept_.insert(*proven).second) {
        kept_for_ = proven;
    } else if (permits_.taken_ < permits_.half_) {
        ++permits_.taken_;
    } else {
        throw unavailable("Many people are signing in just now. Try again in a moment.",
                          std::chrono::seconds{1});
    }
}

PasswordPermits::Permit::~Permit() {
    const std::scoped_lock lock{permits_.mutex_};
    if (kept_for_)
        permits_.kept_.erase(*kept_for_);
    else
        --permits_.taken_;
}

std::string PasswordPermits::Permit::hash(std::string_view password) const {
    return permits_.hasher_.hash(password);
}

std::string PasswordPermits::Permit::hash_with(const std::string& salt_and_cost,
                                               std::string_view password) const {
    return permits_.hasher_.hash_with(salt_and_cost, password);
}

} // namespace usershell::manage
