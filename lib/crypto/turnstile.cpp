#include "crypto/turnstile.hpp"

#include <stdexcept>

namespace usershell {

Turnstile::Turnstile(unsigned places) : free_{places} {
    if (places == 0) throw std::invalid_argument{"a turnstile needs a place"};
}

Turnstile::Place::Place(Turnstile& turnstile) : turnstile_{turnstile} {
    std::unique_lock lock{turnstile_.mutex_};
    turnstile_.freed_.wait(lock, [this] { return turnstile_.free_ > 0; });
    --turnstile_.free_;
}

Turnstile::Place::~Place() {
    {
        const std::lock_guard lock{turnstile_.mutex_};
        ++turnstile_.free_;
    }
    turnstile_.freed_.notify_one();
}

} // namespace usershell
