// The rings of one machine as one file for another machine, sealed to a passphrase. After a line
// "usershell-rings 1" come a salt, a nonce and XChaCha20-Poly1305 of the four secret files; the key
// is Argon2id of the passphrase, with 256 MiB. The public files follow from the secret ones. Used
// by one thread.
#pragma once

#include "crypto/ring/files.hpp"
#include "crypto/secret.hpp"

#include <filesystem>
#include <vector>

namespace usershell::crypto {

/// Makes `file`, mode 0600, of the rings in `folder`. Throws RingError, also when the file is
/// there.
void write_ring_copy(const std::filesystem::path& folder, const std::filesystem::path& file,
                     const Secret& passphrase);

/// The rings that such a file holds, to be put into `folder`. Throws RingError for another
/// passphrase and for a file that is none.
std::vector<RingFiles> read_ring_copy(const std::filesystem::path& file, const Secret& passphrase,
                                      const std::filesystem::path& folder);

} // namespace usershell::crypto
