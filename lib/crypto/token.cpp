#include "crypto/token.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/wiping.hpp"
#include "crypto/bytes.hpp"

#include <cstdint>

#include <boost/crc.hpp>
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

std::string sha256(std::string_view bytes) {
    std::string digest(crypto_hash_sha256_BYTES, '\0');
    crypto_hash_sha256(bytes_of(digest), bytes_of(bytes), bytes.size());
    return digest;
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

namespace {

constexpr std::string_view prefix = "ush_";
constexpr std::string_view digits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::size_t selector_size = 12;
constexpr std::size_t secret_size = 32;
constexpr std::size_t number_digits = 60;
constexpr std::size_t checksum_digits = 6;
constexpr std::size_t token_size = prefix.size() + number_digits + checksum_digits;
constexpr std::size_t hint_size = 12; ///< its digits follow from the selector

/// Big-endian bytes, as so many digits.
WipedString to_base62(std::string_view bytes, std::size_t count) {
    WipedString rest{bytes};
    WipedString text;
    text.resize(count);
    for (std::size_t at = count; at-- > 0;) {
        unsigned remainder = 0;
        for (std::size_t i = 0; i < rest.size(); ++i) {
            const unsigned value = remainder * 256 + static_cast<unsigned char>(rest.data()[i]);
            rest.data()[i] = static_cast<char>(value / digits.size());
            remainder = value % static_cast<unsigned>(digits.size());
        }
        text.data()[at] = digits[remainder];
    }
    return text;
}

/// Null when a character is no digit, or the number needs more bytes.
std::optional<WipedString> from_base62(std::string_view text, std::size_t size) {
    WipedString bytes;
    bytes.resize(size);
    for (const char c : text) {
        const auto digit = digits.find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        auto carry = static_cast<unsigned>(digit);
        for (std::size_t i = size; i-- > 0;) {
            carry += static_cast<unsigned char>(bytes.data()[i]) * unsigned{digits.size()};
            bytes.data()[i] = static_cast<char>(carry % 256);
            carry /= 256;
        }
        if (carry != 0) return std::nullopt;
    }
    return bytes;
}

std::string checksum_of(std::string_view text) {
    boost::crc_32_type crc;
    crc.process_bytes(text.data(), text.size());
    const std::uint32_t sum = crc.checksum();
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(sum >> shift & 0xff);
    return std::string{std::string_view{to_base62(bytes, checksum_digits)}};
}

WipedString text_of(std::string_view number) {
    WipedString text{prefix};
    text.append(to_base62(number, number_digits));
    text.append(checksum_of(text));
    return text;
}

TokenProof proof_of(const InstallationId& installation, std::string_view number) {
    const auto selector = number.substr(0, selector_size);
    const auto secret = number.substr(selector_size);
    const auto message =
        length_prefixed({"usershell token verifier 1", installation.text(), selector});
    TokenProof proof{std::string{selector}, std::string(crypto_generichash_BYTES, '\0')};
    crypto_generichash(bytes_of(proof.verifier), proof.verifier.size(), bytes_of(message),
                       message.size(), bytes_of(secret), secret.size());
    return proof;
}

} // namespace

NewAccessToken new_access_token(const InstallationId& installation) {
    WipedString number;
    number.resize(selector_size + secret_size);
    randombytes_buf(number.data(), number.size());
    return {text_of(number), proof_of(installation, number)};
}

bool is_access_token(std::string_view text) {
    if (text.size() != token_size || !text.starts_with(prefix)) return false;
    const auto start = text.substr(0, token_size - checksum_digits);
    return checksum_of(start) == text.substr(start.size());
}

std::optional<TokenProof> prove_access_token(const InstallationId& installation,
                                             std::string_view text) {
    if (!is_access_token(text)) return std::nullopt;
    const auto number =
        from_base62(text.substr(prefix.size(), number_digits), selector_size + secret_size);
    if (!number) return std::nullopt;
    return proof_of(installation, *number);
}

std::string access_token_hint(std::string_view selector) {
    WipedString number{selector};
    number.resize(selector_size + secret_size);
    return std::string{std::string_view{text_of(number)}.substr(0, hint_size)};
}

} // namespace usershell::crypto
