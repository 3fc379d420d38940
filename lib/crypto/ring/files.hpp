// The two files of one ring, for an operator's commands. Both are written from the content of the
// secret file, so that files that differ (a command was killed between writing the two) agree again
// after the next change. Comments are not kept. Used by one thread.
#pragma once

#include "crypto/ring/ring.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace usershell::crypto {

struct RingText; ///< crypto/ring/ring_text.hpp, internal

/// "vault.secret"
std::string ring_file_name(RingRole role, bool secret);

struct RingKeyRow {
    RingKeyId id;
    std::string created; ///< "2026-01-31T12:00:00Z"
    bool active;
};

class RingFiles {
public:
    /// Reads ROLE.secret of the folder, as strictly as load_ring() does. Throws RingError.
    RingFiles(RingRole role, std::filesystem::path folder);
    ~RingFiles();
    RingFiles(RingFiles&&) noexcept;

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

    /// Writes both files anew, each whole or not at all, with the owner and the mode they had:
    /// first the one that opens or verifies, then the one that seals or signs. Throws RingError.
    void save() const;

private:
    void require(const RingKeyId& id) const;
    void write(bool secret) const;

    RingRole role_;
    std::filesystem::path folder_;
    std::unique_ptr<RingText> text_;
};

} // namespace usershell::crypto
