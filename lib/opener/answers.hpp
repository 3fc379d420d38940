// Answers questions: has the store begin a call or find its next key, and opens the envelopes of
// the rows that the store gives. Any thread.
#pragma once

#include "base/wiping.hpp"
#include "crypto/unseal/unseal.hpp"
#include "opener/wire/protocol.hpp"
#include "store/database/database.hpp"
#include "store/database/values.hpp"

namespace usershell::opener {

/// The rows with a key in the place of each envelope. A key that does not open is part of the
/// answer. Throws Error for a row that does not say whose envelope it has.
WipedString with_keys(const store::Texts& rows, const crypto::Unsealer& unsealer);

struct Answered {
    WipedString bytes;
    bool has_right; ///< the store has found rows
};

/// One statement. Throws what the store throws, and std::bad_alloc.
Answered answer(store::Database& database, const crypto::Unsealer& unsealer,
                const Question& question);

} // namespace usershell::opener
