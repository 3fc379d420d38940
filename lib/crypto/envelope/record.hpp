// A record: the signed content of an envelope. Its length-prefixed fields begin with
//
//   `usershell record 1` ‖ kind ‖ installation ‖ owner
//
// and continue with the members of one of the structs below, in their order. No ring key is named
// in it, so that a record keeps its bytes when another key seals or signs it. An envelope seals
// signature ‖ padded record; the signature (envelope/signature.hpp) is over the digest of the
// padded record. Internal to lib/crypto and lib/mail.
#pragma once

#include "crypto/envelope/sealers.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace usershell::crypto {

inline constexpr std::string_view record_format = "usershell record 1";

/// Stands in place of an account's id in the record of a provider-level key.
inline constexpr std::string_view provider_level = "provider";

/// The member `account` of the key's record. No two rows of an owner have the same.
inline std::string place_of(const KeyBinding& row) {
    if (!row.header.empty()) return row.provider.text() + " " + row.header;
    return row.account ? row.account->text() : std::string{provider_level};
}

struct KeyRecord {
    static constexpr std::size_t size = 5;
    std::string_view provider;
    std::string_view account; ///< or `provider_level`, or of a header: provider, blank, name
    std::string_view type;
    std::string_view base_url;
    std::string_view key;
};

struct VaultEntryRecord {
    static constexpr std::size_t size = 4;
    std::string_view entry;
    std::string_view kind;     ///< type of provider
    std::string_view base_url; ///< empty: the default of `kind`
    std::string_view key;
};

struct MailRecord {
    static constexpr std::size_t size = 3;
    std::string_view mail;
    std::string_view valid_until; ///< decimal seconds since 1970
    std::string_view content;
};

/// Bytes to a multiple of which a record is padded (sodium_pad): a length shows only in such steps.
inline constexpr std::size_t record_padding = 128;

} // namespace usershell::crypto
