#include "crypto/password.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include "crypto/bytes.hpp"
#include "crypto/secret.hpp"
#include "crypto/token.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <new>
#include <optional>

#include <sodium.h>

namespace usershell::crypto {

namespace {

bool is_possible(const PasswordCost& cost) {
    return cost.opslimit >= crypto_pwhash_OPSLIMIT_MIN &&
           cost.opslimit <= crypto_pwhash_OPSLIMIT_MAX &&
           cost.memlimit >= crypto_pwhash_MEMLIMIT_MIN &&
           cost.memlimit <= crypto_pwhash_MEMLIMIT_MAX;
}

/// Takes `literal` off the front of `text`.
bool skip(std::string_view& text, std::string_view literal) {
    if (!text.starts_with(literal)) return false;
    text.remove_prefix(literal.size());
    return true;
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
    std::uint64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    return number;
}

template <std::size_t size>
bool take_base64(std::string_view& text, std::array<unsigned char, size>& out) {
    const auto end = std::min(text.find('$'), text.size());
    const auto got =
        decode_base64(text.substr(0, end), out, sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
    text.remove_prefix(end);
    return got == size;
}

constexpr std::size_t hash_bytes = 32; ///< as crypto_pwhash_str()

struct SaltAndCost {
    PasswordCost cost{};
    std::array<unsigned char, crypto_pwhash_SALTBYTES> salt{};
};

std::optional<SaltAndCost> parse(std::string_view text) {
    SaltAndCost stored;
    if (!skip(text, "$argon2id$v=19$m=")) return std::nullopt;
    const auto kibibytes = take_number(text);
    if (!kibibytes || *kibibytes > crypto_pwhash_MEMLIMIT_MAX / 1024 || !skip(text, ",t="))
        return std::nullopt;
    const auto passes = take_number(text);
    if (!passes || !skip(text, ",p=1$") || !take_base64(text, stored.salt) || !text.empty())
        return std::nullopt;
    stored.cost = {*passes, *kibibytes * 1024};
    if (!is_possible(stored.cost)) return std::nullopt;
    return stored;
}

/// libsodium's functions must not be given a null pointer, not even with a size of 0.
std::string_view never_null(std::string_view text) { return text.data() == nullptr ? "" : text; }

} // namespace

PasswordHasher::PasswordHasher(PasswordCost cost) : cost_{cost} {
    if (!is_possible(cost_)) throw Error{"the cost of password hashes is out of range"};
}

std::string PasswordHasher::hash(std::string_view password) const {
    const auto prepared = opaque_string(password);
    password = never_null(prepared ? std::string_view{*prepared} : password);
    std::array<char, crypto_pwhash_STRBYTES> text{};
    if (crypto_pwhash_str(text.data(), password.data(), password.size(), cost_.opslimit,
                          cost_.memlimit) != 0)
        throw std::bad_alloc{};
    return text.data();
}

std::string PasswordHasher::hash_with(const std::string& salt_and_cost,
                                      std::string_view password) const {
    const auto with = parse(salt_and_cost);
    if (!with) return {};
    password = never_null(password);
    std::array<unsigned char, hash_bytes> hash{};
    if (crypto_pwhash(hash.data(), hash.size(), password.data(), password.size(), with->salt.data(),
                      with->cost.opslimit, with->cost.memlimit, crypto_pwhash_ALG_ARGON2ID13) != 0)
        throw std::bad_alloc{};
    std::array<char,
               sodium_base64_ENCODED_LEN(hash_bytes, sodium_base64_VARIANT_ORIGINAL_NO_PADDING)>
        text{};
    sodium_bin2base64(text.data(), text.size(), hash.data(), hash.size(),
                      sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
    return salt_and_cost + "$" + text.data();
}

std::string PasswordHasher::usual_cost() const {
    return "$argon2id$v=19$m=" + std::to_string(cost_.memlimit / 1024) +
           ",t=" + std::to_string(cost_.opslimit) + ",p=1";
}

bool PasswordHasher::needs_rehash(const std::string& salt_and_cost) const {
    const auto made = parse(salt_and_cost);
    return !made || made->cost.opslimit < cost_.opslimit ||
           made->cost.memlimit / 1024 < cost_.memlimit / 1024;
}

} // namespace usershell::crypto
