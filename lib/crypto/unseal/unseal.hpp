// Opening sealed provider keys: the execution program's alone, in a library of its own, so that the
// linker keeps it out of usershell-manage. Every check is made before a byte of the key is handed
// out. Thread-safe after construction.
#pragma once

#include "base/error.hpp"
#include "crypto/ring.hpp"
#include "crypto/seal.hpp"
#include "crypto/secret.hpp"

#include <string>

namespace usershell::crypto {

/// Why a sealed key did not open. what() is a plain public sentence, with no byte of any key.
class UnsealError : public Error {
public:
    enum class Reason {
        key_unavailable, ///< the vault or web ring has no key of that id (dropped, or the wrong
                         ///< ring)
        damaged,      ///< a flipped byte, cut short, no such format, a signature that is not ours,
                      ///< or sealed to another scope than the row's
        moved,        ///< sealed for another user, provider or account
        other_origin, ///< the base URL points to another host than when the key was entered
    };

    explicit UnsealError(Reason reason);
    Reason reason() const { return reason_; }

private:
    Reason reason_;
};

class Unsealer {
public:
    /// `hold_on_host_change` false: a changed origin is let pass (the operator's setting).
    Unsealer(VaultSecret vault, WebPublic web, bool hold_on_host_change = true);

    /// The key, if everything in it agrees with the row it came from. Throws UnsealError, and
    /// nothing else but std::bad_alloc when memory is short.
    Secret open(const KeyBinding& row, const Scope& scope, const SealedKey& sealed) const;

    /// The content of a queued mail, if it is the one of that id. Throws UnsealError.
    Secret open_mail(const std::string& mail_id, const SealedMail& sealed) const;

private:
    Secret open_scope(const UserId& owner, const Scope& scope) const;

    VaultSecret vault_;
    WebPublic web_;
    bool hold_on_host_change_;
};

} // namespace usershell::crypto
