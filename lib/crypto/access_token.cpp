#include "crypto/access_token.hpp"

#include "crypto/bytes.hpp"
#include "crypto/length_prefixed.hpp"
#include "crypto/token.hpp"

#include <boost/crc.hpp>

#include <cstdint>

#include <sodium.h>

namespace usershell::crypto {

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
