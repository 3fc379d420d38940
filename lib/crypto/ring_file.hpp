// The text of ring files, as crypto/ring.hpp describes it: strict reading, an entry a line.
// Internal to lib/crypto.
#pragma once

#include "crypto/ring.hpp"
#include "crypto/secret.hpp"

#include <filesystem>
#include <map>
#include <string_view>

namespace usershell::crypto {

struct RingFormat {
    bool secret; ///< nobody but owner and group may have any access to it
    bool dated;  ///< lines go on with CREATED and active|kept; else every line is an active key
};

struct RingEntries {
    RingKeyId active;
    std::map<RingKeyId, Secret, std::less<>> keys; ///< ring_key_size bytes each
};

/// Throws RingError.
RingEntries read_ring(const std::filesystem::path& file, RingFormat format);

} // namespace usershell::crypto
