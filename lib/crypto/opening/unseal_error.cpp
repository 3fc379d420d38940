#include "crypto/opening/unseal_error.hpp"

namespace usershell::crypto {

namespace {

using Reason = UnsealError::Reason;

const char* sentence(Reason reason) {
    switch (reason) {
    case Reason::key_unavailable:
        return "The key ring that protects this key is not available. Enter the key again.";
    case Reason::damaged:
        return "The stored key is damaged. Enter the key again.";
    case Reason::moved:
        return "The stored key belongs to another record. Enter the key again.";
    case Reason::address_changed:
        return "The provider now points to another address. Enter the key again.";
    }
    return "The stored key can't be opened. Enter the key again.";
}

} // namespace

UnsealError::UnsealError(Reason reason) : Error{sentence(reason)}, reason_{reason} {}

} // namespace usershell::crypto
