#include "crypto/token.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/wiping.hpp"
#include "crypto/bytes.hpp"
#include "crypto/length_prefixed.hpp"

#include <sodium.h>

namespace usershell::crypto {

namespace {

constexpr std::size_t hash_size = crypto_generichash_BYTES;
constexpr std::size_t form_nonce_size = 16;
constexpr int base64_variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;

std::string hash(std::string_view message, std::string_view key) {
    std::string out(hash_size, '\0');
    crypto_generichash(bytes_of(out), out.size(), bytes_of(message), message.size(), bytes_of(key),
                       key.size());
    return out;
}

std::string antiforgery_mac(std::string_view key, std::string_view nonce) {
    return hash(length_prefixed({"antiforgery", nonce}), key);
}

std::string uuid_of(std::string bytes) {
    bytes.resize(16);
    bytes[6] = static_cast<char>((bytes[6] & 0x0f) | 0x40); // version 4
    bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80); // variant 10
    std::string text = hex(bytes);
    for (const std::size_t at : {20U, 16U, 12U, 8U}) text.insert(at, 1, '-');
    return text;
}

} // namespace

std::string random_bytes(std::size_t size) {
    std::string out(size, '\0');
    randombytes_buf(out.data(), out.size());
    return out;
}

std::string random_uuid() { return uuid_of(random_bytes(16)); }

std::string uuid_from(std::string_view purpose, std::string_view text) {
    return uuid_of(token_hash(purpose, text));
}

std::string base64url(std::string_view bytes) {
    std::string out(sodium_base64_encoded_len(bytes.size(), base64_variant), '\0');
    sodium_bin2base64(out.data(), out.size(), bytes_of(bytes), bytes.size(), base64_variant);
    out.pop_back(); // the terminating zero
    return out;
}

std::optional<std::string> from_base64url(std::string_view text) {
    std::string out(text.size() / 4 * 3 + 3, '\0');
    const auto size = decode_base64(text, {bytes_of(out), out.size()}, base64_variant);
    if (!size) return std::nullopt;
    out.resize(*size);
    return out;
}

std::string token_hash(std::string_view purpose, std::string_view token) {
    const std::string_view fields[] = {purpose, token};
    WipedString message;
    message.resize(length_prefixed_size(fields));
    write_length_prefixed({bytes_of(message), message.size()}, fields);
    return hash(message, {});
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string issue_antiforgery(std::string_view key) {
    if (key.size() != antiforgery_key_size) throw Error{"an anti-forgery key has the wrong size"};
    const auto nonce = random_bytes(form_nonce_size);
    return base64url(nonce + antiforgery_mac(key, nonce));
}

bool check_antiforgery(std::string_view key, std::string_view token) {
    if (key.size() != antiforgery_key_size) return false;
    const auto bytes = from_base64url(token);
    if (!bytes || bytes->size() != form_nonce_size + hash_size) return false;
    const auto view = std::string_view{*bytes};
    return equal_in_constant_time(antiforgery_mac(key, view.substr(0, form_nonce_size)),
                                  view.substr(form_nonce_size));
}

} // namespace usershell::crypto
