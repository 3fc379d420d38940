#include "crypto/envelope/unseal_error.hpp"

#include <string>

namespace usershell::crypto {

namespace {

English sentence_of(UnsealError::Reason reason) {
    using Reason = UnsealError::Reason;
    switch (reason) {
    case Reason::key_unavailable:
        return "The key ring that protects this key is not available. Ask your "
               "administrator, or enter the key again."_en;
    case Reason::damaged:
        return "The stored key is damaged. Enter the key again."_en;
    case Reason::moved:
        return "The stored key belongs to another record. Enter the key again."_en;
    case Reason::address_changed:
        return "The provider now points to another address. Enter the key again."_en;
    }
    return "The stored key can’t be opened. Enter the key again."_en;
}

} // namespace

UnsealError::UnsealError(Reason reason)
    : Error{std::string{sentence_of(reason).text()}},
      reason_{reason} {}

English UnsealError::sentence() const { return sentence_of(reason_); }

} // namespace usershell::crypto
