#include "auth/passkeys/webauthn.hpp"

#include "base/error.hpp"
#include "crypto/bytes.hpp"
#include "crypto/token.hpp"
#include "web/body.hpp"

#include <memory>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

namespace usershell::auth::passkeys {
namespace {

using crypto::bytes_of;
using crypto::sha256;

constexpr std::size_t max_client_data = 2048;
constexpr std::size_t max_spki = 600;
constexpr std::size_t es256_spki = 91; // of an uncompressed point
constexpr std::size_t max_credential_id = 1023;
constexpr std::size_t hash_size = 32;
constexpr std::size_t fixed_size = 37; // of authenticator data: hash, flags, counter
constexpr std::size_t aaguid_size = 16;

constexpr int es256 = -7;
constexpr int eddsa = -8;
constexpr int rs256 = -257;

constexpr std::uint32_t user_present = 0x01;
constexpr std::uint32_t user_verified = 0x04;
constexpr std::uint32_t backup_eligible = 0x08;
constexpr std::uint32_t backup_state = 0x10;
constexpr std::uint32_t has_credential = 0x40;
constexpr std::uint32_t has_extensions = 0x80;

bool is_client_data(std::string_view text, std::string_view type, const Expected& expected) {
    if (text.size() > max_client_data) return false;
    try {
        const auto data = web::JsonBody::parse(text);
        return data.text_view("type") == type &&
               data.text_view("challenge") == crypto::base64url(expected.challenge) &&
               data.text_view("origin") == expected.origin &&
               !data.boolean("crossOrigin").value_or(false) && !data.text_view("topOrigin");
    } catch (const Refusal&) {
        return false;
    }
}

std::uint32_t big_endian(std::string_view bytes) {
    std::uint32_t number = 0;
    for (const char byte : bytes) number = number << 8U | static_cast<unsigned char>(byte);
    return number;
}

struct AuthenticatorData {
    std::uint32_t flags;
    std::uint32_t counter;
    std::string_view rest;

    bool has(std::uint32_t flag) const { return (flags & flag) != 0; }
};

std::optional<AuthenticatorData> read_authenticator_data(std::string_view bytes,
                                                         const std::string& rp_id) {
    if (bytes.size() < fixed_size || !bytes.starts_with(sha256(rp_id))) return std::nullopt;
    const AuthenticatorData data{big_endian(bytes.substr(hash_size, 1)),
                                 big_endian(bytes.substr(hash_size + 1, 4)),
                                 bytes.substr(fixed_size)};
    if (!data.has(user_present) || (data.has(backup_state) && !data.has(backup_eligible)))
        return std::nullopt;
    return data;
}

std::optional<std::string> credential_id(const AuthenticatorData& data) {
    constexpr std::size_t begin = aaguid_size + 2;
    if (!data.has(has_credential) || data.rest.size() < begin) return std::nullopt;
    const std::size_t size = big_endian(data.rest.substr(aaguid_size, 2));
    if (size == 0 || size > max_credential_id || size > data.rest.size() - begin)
        return std::nullopt;
    return std::string{data.rest.substr(begin, size)};
}

bool fits(const EVP_PKEY* key, const PublicKey& given) {
    char group[32] = "";
    switch (given.algorithm) {
    case es256:
        return given.spki.size() == es256_spki &&
               EVP_PKEY_get_group_name(key, group, sizeof group, nullptr) == 1 &&
               group == std::string_view{SN_X9_62_prime256v1};
    case eddsa:
        return EVP_PKEY_is_a(key, "ED25519") == 1;
    case rs256:
        return EVP_PKEY_is_a(key, "RSA") == 1 && EVP_PKEY_get_bits(key) >= 2048 &&
               EVP_PKEY_get_bits(key) <= 4096;
    default:
        return false;
    }
}

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

/// Null unless it fits its algorithm.
Key read_key(const PublicKey& given) {
    if (given.spki.size() > max_spki) return {nullptr, &EVP_PKEY_free};
    const unsigned char* at = bytes_of(given.spki);
    const unsigned char* const end = at + given.spki.size();
    Key key{d2i_PUBKEY(nullptr, &at, static_cast<long>(given.spki.size())), &EVP_PKEY_free};
    if (key && (at != end || !fits(key.get(), given))) key.reset();
    ERR_clear_error(); // another library in this thread would read the fault
    return key;
}

bool is_signature(std::string_view signature, const std::string& message, const PublicKey& by) {
    const Key key = read_key(by);
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                          &EVP_MD_CTX_free};
    const bool is_right =
        key && context &&
        EVP_DigestVerifyInit(context.get(), nullptr, by.algorithm == eddsa ? nullptr : EVP_sha256(),
                             nullptr, key.get()) == 1 &&
        EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(message),
                         message.size()) == 1;
    ERR_clear_error();
    return is_right;
}

} // namespace

std::optional<Registration> verify_registration(const RegistrationResponse& response,
                                                const Expected& expected) {
    if (!is_client_data(response.client_data, "webauthn.create", expected)) return std::nullopt;
    const auto data = read_authenticator_data(response.authenticator_data, expected.rp_id);
    auto id = data ? credential_id(*data) : std::nullopt;
    if (!id || !read_key(response.key)) return std::nullopt;
    return Registration{*std::move(id), data->counter, data->has(backup_eligible)};
}

std::optional<Assertion> verify_assertion(const AssertionResponse& response, const PublicKey& key,
                                          const Expected& expected) {
    if (!is_client_data(response.client_data, "webauthn.get", expected)) return std::nullopt;
    const auto data = read_authenticator_data(response.authenticator_data, expected.rp_id);
    if (!data || (!data->rest.empty() && !data->has(has_extensions))) return std::nullopt;
    const std::string message =
        std::string{response.authenticator_data} + sha256(response.client_data);
    if (!is_signature(response.signature, message, key)) return std::nullopt;
    return Assertion{data->counter, data->has(user_verified), data->has(backup_eligible)};
}

} // namespace usershell::auth::passkeys
