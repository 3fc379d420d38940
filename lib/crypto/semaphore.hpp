// A counting semaphore: at most `places` threads are past it at a time, the others wait. A mutex
// and a condition variable rather than std::counting_semaphore, whose libstdc++ 12 version can miss
// a wake-up (GCC bug 104928). Thread-safe. Internal to lib/crypto.
#pragma once

#include <condition_variable>
#include <mutex>

namespace usershell::crypto {

class Semaphore {
public:
    /// Throws std::invalid_argument for 0, which would let nobody through.
    explicit Semaphore(unsigned places);

    /// One thread's place, from construction to destruction.
    class Place {
    public:
        explicit Place(Semaphore& semaphore);
        ~Place();
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

    private:
        Semaphore& semaphore_;
    };

private:
    std::mutex mutex_;
    std::condition_variable freed_;
    unsigned free_;
};

} // namespace usershell::crypto
