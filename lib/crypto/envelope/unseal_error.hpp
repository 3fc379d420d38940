// The reasons why an envelope did not open. Apart from the code that opens: usershell-execute,
// which opens nothing, gets them in answers.
#pragma once

#include "base/error.hpp"

namespace usershell::crypto {

/// what() is the public sentence about a stored key, with no byte of any key.
class UnsealError : public Error {
public:
    enum class Reason {
        key_unavailable, ///< the opening or the signing ring has no key of that id (dropped, or the
                         ///< wrong ring)
        damaged,         ///< a flipped byte, cut short, no such format, a signature that is not
                         ///< ours, or sealed for another owner than the row's
        moved,           ///< signed for another row of the owner's
        address_changed, ///< type or base URL are not those that the key was entered for
    };

    explicit UnsealError(Reason reason);
    Reason reason() const { return reason_; }
    English sentence() const;

private:
    Reason reason_;
};

} // namespace usershell::crypto
