// What the crypto suites share: folders that go away, the two rings, bytes out of Base64.
#pragma once

#include "crypto/ring.hpp"

#include <filesystem>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace usershell::test {

/// A new empty folder, removed with all that is in it.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path write(std::string_view name, std::string_view text,
                                mode_t mode = 0600) const;

private:
    std::filesystem::path path_;
};

std::string read(const std::filesystem::path& file);
mode_t mode_of(const std::filesystem::path& file);

/// Both rings, as create_rings() makes and the loaders read them.
struct Rings {
    crypto::VaultPublic vault_public;
    crypto::VaultSecret vault_secret;
    crypto::WebPublic web_public;
    crypto::WebSecret web_secret;
};
Rings new_rings();

crypto::VaultSecret copy(const crypto::VaultSecret& ring);

std::string from_base64(std::string_view text);
std::string to_base64(std::string_view bytes);
std::string from_hex(std::string_view text);

/// 0, 1, 2, … as bytes.
std::string counting(std::size_t size, unsigned char first = 0);

} // namespace usershell::test
