#include "crypto/bytes.hpp"
#include "crypto/file.hpp"
#include "crypto/ring.hpp"
#include "crypto/ring_file.hpp"
#include "crypto/signing.hpp"
#include "crypto/token.hpp"

#include <array>
#include <ctime>
#include <system_error>

#include <sodium.h>

namespace usershell::crypto {

namespace {

constexpr mode_t secret_mode = 0600;
constexpr mode_t public_mode = 0644;

RingKeyId random_key_id() {
    const auto bytes = random_bytes(ring_key_id_size / 2);
    RingKeyId id(ring_key_id_size + 1, '\0');
    sodium_bin2hex(id.data(), id.size(), bytes_of(bytes), bytes.size());
    id.pop_back();
    return id;
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

/// A key in Base64, in wiped memory.
class Base64Key {
public:
    explicit Base64Key(std::string_view key) : text_{Secret::of_size(encoded_size)} {
        sodium_bin2base64(reinterpret_cast<char*>(text_.writable().data()), text_.size(),
                          bytes_of(key), key.size(), sodium_base64_VARIANT_ORIGINAL);
    }
    std::string_view text() const { return text_.reveal().substr(0, encoded_size - 1); }

private:
    static constexpr std::size_t encoded_size =
        sodium_base64_ENCODED_LEN(ring_key_size, sodium_base64_VARIANT_ORIGINAL);
    Secret text_;
};

void create_vault(NewFiles& files, std::string_view dated_tail) {
    std::string public_key(crypto_box_PUBLICKEYBYTES, '\0');
    auto secret_key = Secret::of_size(crypto_box_SECRETKEYBYTES);
    crypto_box_keypair(bytes_of(public_key), secret_key.writable().data());
    const auto id = random_key_id();
    files.create("vault.secret", secret_mode,
                 {"# Opens stored keys. For usershell-execute alone.\n", id, " ",
                  Base64Key{secret_key.reveal()}.text(), dated_tail});
    files.create(
        "vault.public", public_mode,
        {"# Seals what vault.secret opens.\n", id, " ", Base64Key{public_key}.text(), "\n"});
}

void create_web(NewFiles& files, std::string_view dated_tail) {
    auto seed = Secret::of_size(ring_key_size);
    randombytes_buf(seed.writable().data(), seed.size());
    const auto pair = derive_signing_pair(seed);
    const auto id = random_key_id();
    files.create("web.secret", secret_mode,
                 {"# Signs stored keys, seals avatars. For usershell-manage alone.\n", id, " ",
                  Base64Key{seed.reveal()}.text(), dated_tail});
    files.create("web.public", public_mode,
                 {"# Checks what web.secret signed.\n", id, " ", Base64Key{pair.public_key}.text(),
                  dated_tail});
}

} // namespace

void create_rings(const std::filesystem::path& directory) {
    try {
        const auto dated_tail = " " + utc_now() + " active\n";
        NewFiles files{directory};
        create_vault(files, dated_tail);
        create_web(files, dated_tail);
        files.keep();
    } catch (const std::system_error& error) {
        throw RingError{"The key rings were not made: " + std::string{error.what()} + "."};
    }
}

} // namespace usershell::crypto
