// Ring files for an operator's commands: RingFiles changes the two files of one ring, NewRings
// makes those of an installation. Both files of a ring are written from the content of the secret
// file, so that files that differ (a command was killed between writing the two) agree again after
// the next change. Comments are not kept. Used by one thread.
#pragma once

#include "crypto/ring/file.hpp"
#include "crypto/ring/ring.hpp"
#include "crypto/ring/ring_text.hpp"
#include "crypto/secret.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::crypto {

/// "vault.secret"
std::string ring_file_name(RingRole role, bool secret);

/// load_ring<VaultSecret>(), of the file of that name in the folder.
template <class Wanted>
Wanted load_ring_in(const std::filesystem::path& folder) {
    return load_ring<Wanted>(folder / ring_file_name(Wanted::kind.role, Wanted::kind.secret));
}

struct RingKeyRow {
    RingKeyId id;
    std::string created; ///< "2026-01-31T12:00:00Z"
    bool is_active;
};

class RingFiles {
public:
    /// Reads ROLE.secret of the folder, as strictly as load_ring() does. Throws RingError.
    RingFiles(RingRole role, std::filesystem::path folder);
    /// A ring that save() puts there, by the text of its secret file. Throws RingError.
    RingFiles(RingRole role, std::filesystem::path folder, std::string_view secret_text);
    /// A new ring of that installation, which save() puts there, with one key.
    RingFiles(RingRole role, std::filesystem::path folder, const InstallationId& installation);

    RingRole role() const { return role_; }
    RingSummary summary() const;
    /// The oldest first.
    std::vector<RingKeyRow> keys() const;

    /// How the public file differs from what the secret one says, as one sentence; empty when it
    /// does not. Throws RingError when it can't be read.
    std::string difference() const;

    /// A new key, which is not active.
    RingKeyId add();
    /// Throws RingError when there is no such key.
    void activate(const RingKeyId& id);
    /// Throws RingError when there is no such key, or it is active.
    void drop(const RingKeyId& id);

    /// Replaces both files, each whole or not at all, with owner and mode as before: first the one
    /// that opens or verifies, then the one that seals or signs. Makes both where neither is there.
    /// Throws RingError.
    void save() const;

    /// The content of a file.
    Secret text(bool secret) const;

private:
    void require(const RingKeyId& id) const;
    void replace() const;

    RingRole role_;
    std::filesystem::path folder_;
    RingText text_; ///< of the secret file
};

/// Makes the files of all rings of an installation in an existing folder (ring.hpp names them;
/// secret ones mode 0600, public ones 0644, whatever the umask). Without keep() the destructor
/// removes them.
class NewRings {
public:
    /// Throws RingError and leaves nothing behind when any of the files is there already or can't
    /// be written.
    NewRings(const std::filesystem::path& directory, const InstallationId& installation);

    const std::vector<RingSummary>& summaries() const { return summaries_; }

    /// Everything is on disk, and stays, when this returns. Throws RingError.
    void keep();

private:
    NewFiles files_;
    std::vector<RingSummary> summaries_;
};

} // namespace usershell::crypto
