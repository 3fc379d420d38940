// New rings, for an operator's command.
#pragma once

#include "crypto/ring/ring.hpp"

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace usershell::crypto {

class NewFiles; ///< crypto/ring/file.hpp, internal

/// The six files of an installation (ring.hpp names them; secret ones mode 0600, public ones 0644,
/// whatever the umask), made in an existing folder. They are removed again by the destructor unless
/// keep() was reached, so that whoever registers the keys elsewhere has all or nothing.
class NewRings {
public:
    /// Throws RingError and leaves nothing behind when any of the files is there already or can't
    /// be written.
    NewRings(const std::filesystem::path& directory, const InstallationId& installation);
    ~NewRings();
    NewRings(const NewRings&) = delete;
    NewRings& operator=(const NewRings&) = delete;

    const std::vector<RingSummary>& summaries() const { return summaries_; }

    /// Everything is on disk, and stays, when this returns. Throws RingError.
    void keep();

private:
    void create(RingRole role, const InstallationId& installation, std::string_view created);

    std::unique_ptr<NewFiles> files_;
    std::vector<RingSummary> summaries_;
};

} // namespace usershell::crypto
