// Rings for the crypto suites, and the vectors of docs/security.md.
#pragma once
#include "crypto/ring/files.hpp"
#include "crypto/ring/ring.hpp"
#include "crypto/token.hpp"
#include "tests/unit/test.hpp"
#include <sys/resource.h>
namespace usershell::test {
std::string read(const std::filesystem::path& file);
InstallationId some_installation();
InstallationId another_installation();
void write_rings(const TemporaryFolder& folder,
                 const InstallationId& installation = some_installation());
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
struct Limit : boost::noncopyable {
    Limit(decltype(RLIMIT_AS) of, rlim_t most);
    ~Limit() { setrlimit(of_, &before_); }
    decltype(RLIMIT_AS) of_;
    rlimit before_{};
};
struct Vectors {
    Vectors();
    std::string text(const std::string& name) const { return values_.at(name); }
    std::string bytes(const std::string& name) const; ///< of hexadecimal digits
    template <class Id>
    Id id(const std::string& name) const {
        return *Id::parse(text(name));
    }
    Rings rings() const;
    std::map<std::string, std::string> values_;
};
std::string to_base64(std::string_view bytes);
std::string from_hex(std::string_view text);
std::string counting(std::size_t size, unsigned char first = 0);
} // namespace usershell::test
