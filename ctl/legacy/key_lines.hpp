// A file of keys in plain text, a JSON object a line: {"email", "kind", "label", "baseUrl", "key"}.
// label and baseUrl may be left out.
#pragma once

#include "base/wiping.hpp"
#include "crypto/secret.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace usershell::ctl {

/// A key that was read and checked: the kind is one of the catalogue's, the base URL canonical and
/// allowed for that kind.
struct KeyLine {
    std::string normalized_email;
    std::string shown_email;
    std::string kind;
    std::string label;
    std::string base_url; ///< empty: the catalogue's default
    crypto::Secret key;
};

class KeyFile {
public:
    /// Reads all of it into memory that is wiped. Throws Error.
    explicit KeyFile(std::filesystem::path file);

    /// `use` with each line that is not empty. Throws Error with a sentence that names the file and
    /// the line and repeats nothing of it; also for what `use` throws.
    void each(const std::function<void(KeyLine)>& use) const;

    /// Overwrites the file with zeros and removes it. Copies elsewhere stay (a backup, a
    /// disk that relocates data). Throws Error.
    void wipe() const;

private:
    std::filesystem::path file_;
    WipedString text_;
};

} // namespace usershell::ctl
