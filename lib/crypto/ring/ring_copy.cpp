#include "crypto/ring/ring_copy.hpp"

#include "crypto/bytes.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include <sodium.h>

namespace usershell::crypto {

namespace {

namespace aead {
constexpr std::size_t key_size = crypto_aead_xchacha20poly1305_ietf_KEYBYTES;
constexpr std::size_t nonce_size = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t tag_size = crypto_aead_xchacha20poly1305_ietf_ABYTES;
} // namespace aead

constexpr std::string_view heading = "usershell-rings 1\n";
constexpr std::size_t salt_size = crypto_pwhash_SALTBYTES;
constexpr std::size_t copy_size_limit = 1024UL * 1024;
constexpr char between_texts = '\0'; // no ring file has one

Secret key_of(const Secret& passphrase, std::string_view salt) {
    auto key = Secret::of_size(aead::key_size);
    if (crypto_pwhash(key.writable().data(), key.size(), passphrase.reveal().data(),
                      passphrase.size(), bytes_of(salt), crypto_pwhash_OPSLIMIT_MODERATE,
                      crypto_pwhash_MEMLIMIT_MODERATE, crypto_pwhash_ALG_ARGON2ID13) != 0)
        throw std::bad_alloc{};
    return key;
}

Secret texts_of(const std::filesystem::path& folder) {
    std::vector<Secret> texts;
    texts.reserve(std::size(all_ring_roles));
    for (const auto role : all_ring_roles) texts.push_back(RingFiles{role, folder}.text(true));
    return joined(texts, between_texts);
}

std::vector<RingFiles> rings_in(std::string_view texts, const std::filesystem::path& folder) {
    std::vector<RingFiles> rings;
    for (const auto role : all_ring_roles) {
        const auto end = std::min(texts.find(between_texts), texts.size());
        rings.emplace_back(role, folder, texts.substr(0, end));
        texts.remove_prefix(std::min(end + 1, texts.size()));
    }
    return rings;
}

} // namespace

void write_ring_copy(const std::filesystem::path& folder, const std::filesystem::path& file,
                     const Secret& passphrase) {
    const Secret texts = texts_of(folder);
    std::string start(salt_size + aead::nonce_size, '\0');
    randombytes_buf(start.data(), start.size());
    const auto key = key_of(passphrase, start);
    std::string box(texts.size() + aead::tag_size, '\0');
    crypto_aead_xchacha20poly1305_ietf_encrypt(
        bytes_of(box), nullptr, bytes_of(texts.reveal()), texts.size(), bytes_of(heading),
        heading.size(), nullptr, bytes_of(start) + salt_size, bytes_of(key.reveal()));
    try {
        NewFiles made{file.parent_path().empty() ? "." : file.parent_path()};
        made.create(file.filename().string(), 0600, {heading, start, box});
        made.keep();
    } catch (const SystemError& error) {
        throw RingError{"The copy was not written: " + std::string{error.what()} + "."};
    }
}

std::vector<RingFiles> read_ring_copy(const std::filesystem::path& file, const Secret& passphrase,
                                      const std::filesystem::path& folder) {
    const auto content = [&file] {
        try {
            return read_file(file, copy_size_limit);
        } catch (const SystemError& error) {
            throw RingError{"The copy can't be read: " + std::string{error.what()} + "."};
        }
    }();
    auto rest = content.bytes.reveal();
    if (!rest.starts_with(heading) ||
        rest.size() < heading.size() + salt_size + aead::nonce_size + aead::tag_size)
        throw RingError{file.string() + " was not made by ring copy."};
    rest.remove_prefix(heading.size());
    const auto key = key_of(passphrase, rest.substr(0, salt_size));
    const auto nonce = rest.substr(salt_size, aead::nonce_size);
    const auto box = rest.substr(salt_size + aead::nonce_size);
    auto texts = Secret::of_size(box.size() - aead::tag_size);
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(
            texts.writable().data(), nullptr, nullptr, bytes_of(box), box.size(), bytes_of(heading),
            heading.size(), bytes_of(nonce), bytes_of(key.reveal())) != 0)
        throw RingError{"The passphrase is another one, or " + file.string() + " was changed."};
    return rings_in(texts.reveal(), folder);
}

} // namespace usershell::crypto
