// A plaintext that must not be seen: an AI provider key, a password, a secret half of a key pair.
// Lives in guarded, locked memory (secret.cpp) and is wiped when destroyed. Move-only; no
// stream operator, implicit string or comparison, so that a search for reveal() finds every use of
// the bytes. One owner at a time; not shared between threads without a lock. Making one throws
// std::bad_alloc when memory is short; memory that can't be locked (RLIMIT_MEMLOCK) is used all the
// same.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace usershell::crypto {

class Secret {
public:
    Secret() = default;
    /// A copy; the caller's own is left as it is.
    explicit Secret(std::string_view plain);
    /// `size` bytes, all zero, to be filled through writable().
    static Secret of_size(std::size_t size);
    /// `size` random bytes.
    static Secret random(std::size_t size);
    /// Takes the bytes over. Zeroes the string's in place and empties it.
    static Secret take(std::string& plain);

    ~Secret();
    Secret(Secret&& other) noexcept;
    Secret& operator=(Secret&& other) noexcept;
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;

    std::string_view reveal() const { return {bytes_, size_}; }
    std::span<unsigned char> writable();
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

private:
    char* bytes_ = nullptr;
    std::size_t size_ = 0;
};

std::ostream& operator<<(std::ostream&, const Secret&) = delete;

/// A ciphertext of one kind: what the store keeps. Safe to copy, useless to print.
template <class Kind>
class Sealed {
public:
    explicit Sealed(std::string bytes) : bytes_{std::move(bytes)} {}
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};
template <class Kind>
std::ostream& operator<<(std::ostream&, const Sealed<Kind>&) = delete;

/// A provider's or account's key, signed, and sealed to the vault ring for its owner.
using SealedKey = Sealed<struct KeyKind>;
/// An avatar's bytes, encrypted under its user's subkey.
using SealedAvatar = Sealed<struct AvatarKind>;
/// A mail on its way out, signed, and sealed to the mail ring for its owner.
using SealedMail = Sealed<struct MailKind>;

/// libsodium's start and hardening of the process: RLIMIT_CORE 0 and, because a core_pattern that
/// is a pipe may pass over the limit, PR_SET_DUMPABLE 0, which also keeps other processes of the
/// same user from attaching and makes root the owner of its files under /proc. A build with
/// sanitizers stays dumpable, as LeakSanitizer must attach. Call once, before any thread and before
/// any Secret. Throws Error when one of these fails.
void start_crypto();

} // namespace usershell::crypto
