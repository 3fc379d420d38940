// The text of ring files, as crypto/ring/ring.hpp describes it: strict reading, a key a line.
// Internal to lib/crypto.
#pragma once

#include "crypto/ring/ring.hpp"
#include "crypto/secret.hpp"

#include <filesystem>
#include <map>
#include <string>

#include <sys/types.h>

namespace usershell::crypto {

enum class RingHalf { secret_half, public_half };

struct RingKind {
    RingRole role;
    RingHalf half;
};

/// What stands in a file, once everything in it has been checked.
struct RingText {
    InstallationId installation;
    RingKeyId active;
    std::map<RingKeyId, Secret> keys;
};

/// Throws RingError.
RingText read_ring(const std::filesystem::path& file, RingKind kind);

/// The first line of a file, without its end.
std::string heading_of(RingKind kind, const InstallationId& installation);

/// What is wrong with who may reach a file, as the end of a sentence; empty when nothing is.
/// `self`: the user that the program runs as.
std::string access_fault(bool secret, uid_t owner, uid_t self, mode_t mode);

} // namespace usershell::crypto
