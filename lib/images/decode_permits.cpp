#include "images/decode_permits.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace usershell::images {
namespace {

// Longer than the decoding of any picture may take (DecodeLimits), so that a permit is free by
// then.
constexpr std::chrono::seconds retry_after{1};

} // namespace

DecodePermits::DecodePermits(std::size_t permits) : places_{permits} {}

DecodePermits::Permit::Permit(DecodePermits& permits, UserId user)
    : places_{permits},
      user_{std::move(user)} {
    const std::scoped_lock lock{places_.mutex_};
    if (std::ranges::find(places_.users_, user_) != places_.users_.end())
        throw unavailable("Another picture of yours is still being checked. Try again in a moment.",
                          retry_after);
    if (places_.users_.size() >= places_.places_)
        throw unavailable("Too many pictures are being checked. Try again in a moment.",
                          retry_after);
    places_.users_.push_back(user_);
}

DecodePermits::Permit::~Permit() {
    const std::scoped_lock lock{places_.mutex_};
    std::erase(places_.users_, user_);
}

} // namespace usershell::images
