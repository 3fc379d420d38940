#include "crypto/unseal/unseal.hpp"

#include "crypto/bytes.hpp"
#include "crypto/record.hpp"
#include "crypto/unseal/field_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <sodium.h>

namespace usershell::crypto {

namespace {

using Reason = UnsealError::Reason;

const char* sentence(Reason reason) {
    switch (reason) {
    case Reason::key_unavailable:
        return "The key ring that protects this key is not available. Enter the key again.";
    case Reason::damaged:
        return "The stored key is damaged. Enter the key again.";
    case Reason::moved:
        return "The stored key belongs to another record. Enter the key again.";
    case Reason::other_origin:
        return "The base URL now points to another host. Enter the key again.";
    }
    return "The stored key can't be opened. Enter the key again.";
}

std::string public_half(const Secret& secret_key) {
    std::string public_key(crypto_box_PUBLICKEYBYTES, '\0');
    crypto_scalarmult_base(bytes_of(public_key), bytes_of(secret_key.reveal()));
    return public_key;
}

/// Opens what crypto_box_seal made for the public half of `secret_key`.
Secret open_seal(const std::string& sealed, std::string_view public_key, const Secret& secret_key) {
    if (sealed.size() <= crypto_box_SEALBYTES) throw UnsealError{Reason::damaged};
    auto plain = Secret::of_size(sealed.size() - crypto_box_SEALBYTES);
    if (crypto_box_seal_open(plain.writable().data(), bytes_of(sealed), sealed.size(),
                             bytes_of(public_key), bytes_of(secret_key.reveal())) != 0)
        throw UnsealError{Reason::damaged};
    return plain;
}

/// The fields of a record that has exactly `count` of them, the first of which is `version`.
template <std::size_t count>
std::array<std::string_view, count> fields_of(std::string_view record, std::string_view version) {
    std::array<std::string_view, count> fields;
    FieldReader reader{record};
    for (auto& field : fields) {
        const auto next = reader.next();
        if (!next) throw UnsealError{Reason::damaged};
        field = *next;
    }
    if (!reader.at_end() || fields[0] != version) throw UnsealError{Reason::damaged};
    return fields;
}

/// The record in an opened key, without its padding, once a key of the web ring has vouched for it.
std::string_view verified_record(std::string_view plain, const WebPublic& web) {
    if (plain.size() < ring_key_id_size + crypto_sign_BYTES) throw UnsealError{Reason::damaged};
    const auto signer = web.verify_keys.find(plain.substr(0, ring_key_id_size));
    if (signer == web.verify_keys.end()) throw UnsealError{Reason::key_unavailable};
    const auto signature = plain.substr(ring_key_id_size, crypto_sign_BYTES);
    const auto padded = plain.substr(ring_key_id_size + crypto_sign_BYTES);
    std::size_t size = 0;
    if (crypto_sign_verify_detached(bytes_of(signature), bytes_of(padded), padded.size(),
                                    bytes_of(signer->second)) != 0 ||
        sodium_unpad(&size, bytes_of(padded), padded.size(), record_padding) != 0)
        throw UnsealError{Reason::damaged};
    return padded.substr(0, size);
}

void check_sizes(const VaultSecret& vault, const WebPublic& web) {
    const auto right = [](const auto& entry) { return entry.second.size() == ring_key_size; };
    if (!std::all_of(vault.keys.begin(), vault.keys.end(), right) ||
        !std::all_of(web.verify_keys.begin(), web.verify_keys.end(), right))
        throw std::invalid_argument{"a ring key has the wrong size"};
}

} // namespace

UnsealError::UnsealError(Reason reason) : Error{sentence(reason)}, reason_{reason} {}

Unsealer::Unsealer(VaultSecret vault, WebPublic web, bool hold_on_host_change)
    : vault_{std::move(vault)},
      web_{std::move(web)},
      hold_on_host_change_{hold_on_host_change} {
    check_sizes(vault_, web_);
}

Secret Unsealer::open_scope(const UserId& owner, const Scope& scope) const {
    const auto vault_key = vault_.keys.find(scope.ring_key);
    if (vault_key == vault_.keys.end()) throw UnsealError{Reason::key_unavailable};
    const auto plain =
        open_seal(scope.secret.bytes(), public_half(vault_key->second), vault_key->second);
    const auto [version, sealed_owner, secret_key] =
        fields_of<3>(plain.reveal(), scope_record_version);
    if (secret_key.size() != crypto_box_SECRETKEYBYTES) throw UnsealError{Reason::damaged};
    if (sealed_owner != owner.text()) throw UnsealError{Reason::moved};
    return Secret{secret_key};
}

Secret Unsealer::open(const KeyBinding& row, const Scope& scope, const SealedKey& sealed) const {
    const auto scope_key = open_scope(row.owner, scope);
    const auto scope_public_key = public_half(scope_key);
    if (scope_public_key != scope.public_key) throw UnsealError{Reason::damaged};
    const auto plain = open_seal(sealed.bytes(), scope_public_key, scope_key);
    const auto [version, owner, provider, account, origin, key] =
        fields_of<6>(verified_record(plain.reveal(), web_), key_record_version);
    if (owner != row.owner.text() || provider != row.provider.text() ||
        account != (row.account ? row.account->text() : provider_level))
        throw UnsealError{Reason::moved};
    if (hold_on_host_change_ && origin != row.origin) throw UnsealError{Reason::other_origin};
    return Secret{key};
}

Secret Unsealer::open_mail(const std::string& mail_id, const SealedMail& sealed) const {
    const std::string& bytes = sealed.bytes();
    const auto vault_key = vault_.keys.find(std::string_view{bytes}.substr(0, ring_key_id_size));
    if (vault_key == vault_.keys.end()) throw UnsealError{Reason::key_unavailable};
    const auto plain = open_seal(bytes.substr(ring_key_id_size), public_half(vault_key->second),
                                 vault_key->second);
    const auto [version, id, content] =
        fields_of<3>(verified_record(plain.reveal(), web_), mail_record_version);
    if (id != mail_id) throw UnsealError{Reason::moved};
    return Secret{content};
}

} // namespace usershell::crypto
