#include "crypto/semaphore.hpp"

#include <stdexcept>

namespace usershell::crypto {

Semaphore::Semaphore(unsigned places) : free_{places} {
    if (places == 0) throw std::invalid_argument{"a semaphore needs a place"};
}

Semaphore::Place::Place(Semaphore& semaphore) : semaphore_{semaphore} {
    std::unique_lock lock{semaphore_.mutex_};
    semaphore_.freed_.wait(lock, [this] { return semaphore_.free_ > 0; });
    --semaphore_.free_;
}

Semaphore::Place::~Place() {
    {
        const std::scoped_lock lock{semaphore_.mutex_};
        ++semaphore_.free_;
    }
    semaphore_.freed_.notify_one();
}

} // namespace usershell::crypto
