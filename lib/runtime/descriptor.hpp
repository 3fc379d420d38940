// A file descriptor that closes itself. Owned by one thread at a time; moving hands it over.
#pragma once

#include <utility>

#include <unistd.h>

namespace usershell {

class Descriptor {
public:
    Descriptor() = default;
    /// Takes over what open(2) and its like returned; a failure (-1) makes an empty one.
    explicit Descriptor(int number) : number_{number} {}
    ~Descriptor() { reset(); }
    Descriptor(Descriptor&& other) noexcept : number_{other.release()} {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) {
            reset();
            number_ = other.release();
        }
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    explicit operator bool() const { return number_ >= 0; }
    /// -1 when there is none.
    int get() const { return number_; }
    /// The caller closes it from now on.
    int release() { return std::exchange(number_, -1); }
    void reset() {
        if (number_ >= 0) ::close(number_);
        number_ = -1;
    }

private:
    int number_ = -1;
};

} // namespace usershell
