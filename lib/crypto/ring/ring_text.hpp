// The text of ring files, as crypto/ring/ring.hpp describes it: strict reading, a key a line.
// Internal to lib/crypto.
#pragma once

#include "crypto/ring/ring.hpp"
#include "crypto/secret.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace usershell::crypto {

/// The content of a file that has passed every check.
struct RingText {
    InstallationId installation;
    RingKeyId active;
    std::map<RingKeyId, Secret> keys;
    std::map<RingKeyId, std::string> created; ///< of the same ids
};

/// Throws RingError.
RingText read_ring(const std::filesystem::path& file, RingKind kind);

/// Of a file's text; `file`: what sentences call it. Throws RingError.
RingText parse_ring(std::string file, RingKind kind, std::string_view text);

/// The first line of a file, without its end.
std::string heading_of(RingKind kind, const InstallationId& installation);

/// The line of a key, without its end: in wiped memory, as the key may be a secret one.
Secret line_of(const RingKeyId& id, std::string_view key, std::string_view created, bool is_active);

/// The comment at the beginning of a file, without its end: whose it is.
std::string comment_of(RingKind kind);

/// The parts one after another, each with `end` behind it.
Secret joined(const std::vector<Secret>& parts, char end);

/// Now, as a file has it.
std::string utc_now();

/// Why a file's owner or mode is refused, as the end of a sentence; empty when both are good.
/// `self`: the user that the program runs as.
std::string access_fault(bool secret, uid_t owner, uid_t self, mode_t mode);

} // namespace usershell::crypto
