// Rings for the crypto suites, and the vectors of docs/security.md.
#pragma once
#include "crypto/ring/files.hpp"
#include "crypto/ring/ring.hpp"
#include "tests/unit/temporary_folder.hpp"
#include <boost/noncopyable.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/types.h>

namespace usershell::test {
std::string read(const std::filesystem::path& file);

InstallationId some_installation();
InstallationId another_installation();

/// The files of new rings.
void write_rings(const TemporaryFolder& folder,
                 const InstallationId& installation = some_installation());

/// All rings, as the loaders read them.
struct Rings {
    crypto::VaultPublic vault_public;
    crypto::VaultSecret vault_secret;
    crypto::WebPublic web_public;
    crypto::WebSecret web_secret;
    crypto::AuthPublic auth_public;
    crypto::AuthSecret auth_secret;
    crypto::MailPublic mail_public;
    crypto::MailSecret mail_secret;
};
Rings new_rings(const InstallationId& installation = some_installation());

template <crypto::RingRole role>
crypto::SecretRing<role> copy(const crypto::SecretRing<role>& ring) {
    crypto::SecretRing<role> twin{ring.installation, ring.active, {}};
    for (const auto& [id, key] : ring.keys) twin.keys.emplace(id, crypto::Secret{key.reveal()});
    return twin;
}

/// This process may have no more of that for as long as this lives: setrlimit(2).
class Limit : boost::noncopyable {
public:
    Limit(decltype(RLIMIT_AS) of, rlim_t most);
    ~Limit() { setrlimit(of_, &before_); }

private:
    decltype(RLIMIT_AS) of_;
    rlimit before_{};
};

/// The test vectors of docs/security.md, by name.
class Vectors {
public:
    Vectors();
    std::string text(const std::string& name) const { return values_.at(name); }
    std::string bytes(const std::string& name) const; ///< of hexadecimal digits
    template <class Id>
    Id id(const std::string& name) const {
        return *Id::parse(text(name));
    }
    Rings rings() const;

private:
    std::map<std::string, std::string> values_;
};

std::string to_base64(std::string_view bytes);
std::string from_hex(std::string_view text);

/// 0, 1, 2, … as bytes.
std::string counting(std::size_t size, unsigned char first = 0);
} // namespace usershell::test
