#include "support.hpp"

#include "crypto/secret.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include <sodium.h>
#include <sys/stat.h>

namespace usershell::test {

namespace {

struct CryptoStart {
    CryptoStart() { crypto::start_crypto(); }
};
BOOST_TEST_GLOBAL_FIXTURE(CryptoStart);

std::string new_folder() {
    auto name = (std::filesystem::temp_directory_path() / "usershell-crypto-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error{"no temporary folder"};
    return name;
}

} // namespace

TemporaryFolder::TemporaryFolder() : path_{new_folder()} {}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TemporaryFolder::write(std::string_view name, std::string_view text,
                                             mode_t mode) const {
    auto file = path_ / name;
    std::ofstream{file} << text;
    if (chmod(file.c_str(), mode) != 0) throw std::runtime_error{"chmod"};
    return file;
}

std::string read(const std::filesystem::path& file) {
    std::ifstream in{file};
    return {std::istreambuf_iterator<char>{in}, {}};
}

mode_t mode_of(const std::filesystem::path& file) {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0) throw std::runtime_error{"stat"};
    return status.st_mode & 07777U;
}

Rings new_rings() {
    const TemporaryFolder folder;
    crypto::create_rings(folder.path());
    return {crypto::load_vault_public(folder.path() / "vault.public"),
            crypto::load_vault_secret(folder.path() / "vault.secret"),
            crypto::load_web_public(folder.path() / "web.public"),
            crypto::load_web_secret(folder.path() / "web.secret")};
}

crypto::VaultSecret copy(const crypto::VaultSecret& ring) {
    crypto::VaultSecret twin{ring.active, {}};
    for (const auto& [id, key] : ring.keys) twin.keys.emplace(id, crypto::Secret{key.reveal()});
    return twin;
}

std::string from_base64(std::string_view text) {
    std::vector<unsigned char> out(text.size());
    std::size_t size = 0;
    if (sodium_base642bin(out.data(), out.size(), text.data(), text.size(), nullptr, &size, nullptr,
                          sodium_base64_VARIANT_ORIGINAL) != 0)
        throw std::invalid_argument{"Base64"};
    return {out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size)};
}

std::string to_base64(std::string_view bytes) {
    std::string out(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
    sodium_bin2base64(out.data(), out.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                      bytes.size(), sodium_base64_VARIANT_ORIGINAL);
    out.pop_back();
    return out;
}

std::string from_hex(std::string_view text) {
    std::vector<unsigned char> out(text.size() / 2);
    std::size_t size = 0;
    if (sodium_hex2bin(out.data(), out.size(), text.data(), text.size(), nullptr, &size, nullptr) !=
        0)
        throw std::invalid_argument{"hexadecimal"};
    return {out.begin(), out.end()};
}

std::string counting(std::size_t size, unsigned char first) {
    std::string out;
    for (std::size_t i = 0; i < size; ++i) out += static_cast<char>(first + i);
    return out;
}

} // namespace usershell::test
