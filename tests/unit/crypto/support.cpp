#include "tests/unit/crypto/support.hpp"
#include "crypto/secret.hpp"
#include <sodium.h>
namespace usershell::test {
namespace {
struct CryptoStart {
    CryptoStart() { crypto::start_crypto(); }
};
BOOST_TEST_GLOBAL_FIXTURE(CryptoStart);
} // namespace
std::string read(const std::filesystem::path& file) {
    std::ifstream in{file};
    return {std::istreambuf_iterator<char>{in}, {}};
}
InstallationId some_installation() {
    return *InstallationId::parse("5f6f1c0e-0000-4000-8000-00000000000a");
}
InstallationId another_installation() {
    return *InstallationId::parse("5f6f1c0e-0000-4000-8000-00000000000b");
}
void write_rings(const TemporaryFolder& folder, const InstallationId& installation) {
    crypto::NewRings{folder.path(), installation}.keep();
}
Rings new_rings(const InstallationId& installation) {
    const TemporaryFolder folder;
    write_rings(folder, installation);
    return {crypto::load_ring<crypto::VaultPublic>(folder.path() / "vault.public"),
            crypto::load_ring<crypto::VaultSecret>(folder.path() / "vault.secret"),
            crypto::load_ring<crypto::WebPublic>(folder.path() / "web.public"),
            crypto::load_ring<crypto::WebSecret>(folder.path() / "web.secret"),
            crypto::load_ring<crypto::AuthPublic>(folder.path() / "auth.public"),
            crypto::load_ring<crypto::AuthSecret>(folder.path() / "auth.secret"),
            crypto::load_ring<crypto::MailPublic>(folder.path() / "mail.public"),
            crypto::load_ring<crypto::MailSecret>(folder.path() / "mail.secret")};
}
Limit::Limit(decltype(RLIMIT_AS) of, rlim_t most) : of_{of} {
    getrlimit(of_, &before_);
    const rlimit less{most, before_.rlim_max};
    BOOST_REQUIRE(setrlimit(of_, &less) == 0);
}
Vectors::Vectors() {
    const auto document = read(std::filesystem::path{USERSHELL_SOURCE_DIR} / "docs/security.md");
    const auto begin = document.find("```vectors\n") + 11;
    std::istringstream lines{document.substr(begin, document.find("```", begin) - begin)};
    std::string name;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  ")) { // goes on with the value above
            values_.at(name) += line.substr(2);
            continue;
        }
        const auto equals = line.find(" =");
        name = line.substr(0, equals);
        values_[name] = line.substr(std::min(equals + 3, line.size()));
    }
}
std::string Vectors::bytes(const std::string& name) const { return from_hex(text(name)); }
Rings Vectors::rings() const {
    const auto installation = id<InstallationId>("installation");
    const auto vault = id<crypto::RingKeyId>("vault key id");
    const auto web = id<crypto::RingKeyId>("web key id");
    const auto auth = id<crypto::RingKeyId>("auth key id");
    const auto mail = id<crypto::RingKeyId>("mail key id");
    Rings rings{
        {installation, vault, {{vault, bytes("vault public key")}}}, {installation, vault, {}},
        {installation, web, {{web, bytes("web public key")}}},       {installation, web, {}},
        {installation, auth, {{auth, bytes("auth public key")}}},    {installation, auth, {}},
        {installation, mail, {{mail, bytes("mail public key")}}},    {installation, mail, {}}};
    rings.vault_secret.keys.emplace(vault, crypto::Secret{bytes("vault secret key")});
    rings.web_secret.keys.emplace(web, crypto::Secret{bytes("web seed")});
    rings.auth_secret.keys.emplace(auth, crypto::Secret{bytes("auth seed")});
    rings.mail_secret.keys.emplace(mail, crypto::Secret{bytes("mail secret key")});
    return rings;
}
std::string to_base64(std::string_view bytes) {
    std::string out(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
    sodium_bin2base64(out.data(), out.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                      bytes.size(), sodium_base64_VARIANT_ORIGINAL);
    out.pop_back();
    return out;
}
std::string from_hex(std::string_view text) {
    std::string bytes;
    for (; !text.empty(); text.remove_prefix(2)) bytes += byte_of_hex(text).value();
    return bytes;
}
std::string counting(std::size_t size, unsigned char first) {
    std::string out;
    for (std::size_t i = 0; i < size; ++i) out += static_cast<char>(first + i);
    return out;
}
} // namespace usershell::test
