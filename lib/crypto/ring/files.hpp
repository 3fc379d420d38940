// Files of rings, as an operator's commands make, change and copy them.
#pragma once

#include "crypto/ring/ring.hpp"
#include "crypto/ring/ring_text.hpp"
#include "crypto/secret.hpp"

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace usershell::crypto {

// Whole small files, read into wiped memory and written so that they are whole or not there.
// Internal to lib/crypto. Failures are SystemError, whose text names the file.

/// A regular file's content, owner and permission bits, read by one open(2).
struct FileContent {
    Secret bytes;
    uid_t owner;
    mode_t mode;
};
/// std::errc::invalid_argument when it is no regular file, file_too_large when it is longer than
/// `limit`.
FileContent read_file(const std::filesystem::path& file, std::size_t limit);

/// Puts `content` in the place of a file that is there, whole or not at all, with the owner and the
/// mode that the file has. On disk when this returns.
void replace_file(const std::filesystem::path& file, const std::vector<std::string_view>& content);

/// New files of one folder, that come into being together: what create() has made is removed again
/// by the destructor unless keep() was reached.
class NewFiles {
public:
    explicit NewFiles(std::filesystem::path directory);
    ~NewFiles();
    NewFiles(const NewFiles&) = delete;
    NewFiles& operator=(const NewFiles&) = delete;

    /// Fails with std::errc::file_exists rather than touch a file; `mode` holds whatever the umask.
    void create(std::string_view name, mode_t mode,
                std::initializer_list<std::string_view> content);
    /// Everything is on disk when this returns.
    void keep();

private:
    std::filesystem::path directory_;
    std::vector<std::filesystem::path> made_;
};

// Ring files for an operator's commands: RingFiles changes the two files of one ring, NewRings
// makes those of an installation. Both files of a ring are written from the content of the secret
// file, so that files that differ (a command was killed between writing the two) agree again after
// the next change. Comments are not kept. Used by one thread.

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
    /// Reads ROLE.secret of the folder, as strictly as load_ring() does. Where that is encrypted
    /// (ROLE.secret.cred), ROLE.public: it can be looked at then, and not changed. Throws
    /// RingError.
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
    void require_plain() const;
    void require(const RingKeyId& id) const;
    void replace() const;

    RingRole role_;
    std::filesystem::path folder_;
    bool lies_encrypted_ = false;
    RingText text_; ///< of the file that was read
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

// The rings of one machine as one file for another machine, sealed to a passphrase. After a line
// "usershell-rings 1" come a salt, a nonce and XChaCha20-Poly1305 of the four secret files; the key
// is Argon2id of the passphrase, with 256 MiB. The public files follow from the secret ones. Used
// by one thread.

/// Makes `file`, mode 0600, of the rings in `folder`. Throws RingError, also when the file is
/// there.
void write_ring_copy(const std::filesystem::path& folder, const std::filesystem::path& file,
                     const Secret& passphrase);

/// The rings that such a file holds, to be put into `folder`. Throws RingError for another
/// passphrase and for a file that is none.
std::vector<RingFiles> read_ring_copy(const std::filesystem::path& file, const Secret& passphrase,
                                      const std::filesystem::path& folder);

} // namespace usershell::crypto
