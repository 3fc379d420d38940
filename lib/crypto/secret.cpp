#include "crypto/secret.hpp"

#include "base/error.hpp"
#include "crypto/secret_memory.hpp"

#include <algorithm>
#include <utility>

#include <sodium.h>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace usershell::crypto {

Secret::Secret(std::string_view plain) : Secret{of_size(plain.size())} {
    std::copy(plain.begin(), plain.end(), bytes_);
}

Secret Secret::of_size(std::size_t size) {
    Secret made;
    if (size == 0) return made;
    made.bytes_ = allocate_secret(size);
    made.size_ = size;
    return made;
}

Secret Secret::random(std::size_t size) {
    auto made = of_size(size);
    if (size > 0) randombytes_buf(made.bytes_, size);
    return made;
}

Secret Secret::take(std::string& plain) {
    Secret taken{plain};
    plain.resize(plain.capacity()); // the bytes behind the end may be of a longer text
    sodium_memzero(plain.data(), plain.size());
    plain.clear();
    return taken;
}

Secret::~Secret() {
    if (bytes_ != nullptr) free_secret(bytes_, size_);
}

Secret::Secret(Secret&& other) noexcept
    : bytes_{std::exchange(other.bytes_, nullptr)},
      size_{std::exchange(other.size_, 0)} {}

Secret& Secret::operator=(Secret&& other) noexcept {
    Secret old{std::move(other)};
    std::swap(bytes_, old.bytes_);
    std::swap(size_, old.size_);
    return *this;
}

std::span<unsigned char> Secret::writable() {
    return {reinterpret_cast<unsigned char*>(bytes_), size_};
}

void start_crypto() {
    if (sodium_init() < 0) throw Error{"libsodium can't start"};
    const rlimit none{0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) throw SystemError{"core dumps can't be switched off"};
#ifndef USERSHELL_SANITIZED
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        throw SystemError{"core dumps can't be switched off"};
#endif
}

} // namespace usershell::crypto
