// What a sealed key and a sealed scope hold inside; the layout is described in crypto/seal.hpp.
// crypto/seal.cpp writes them, crypto/unseal alone reads them. Internal to lib/crypto.
#pragma once

#include <cstddef>
#include <string_view>

namespace usershell::crypto {

/// First field of each record. It also keeps a signature made here from meaning anything elsewhere.
inline constexpr std::string_view key_record_version = "usershell key 1";
inline constexpr std::string_view scope_record_version = "usershell scope 1";
inline constexpr std::string_view voucher_version = "usershell voucher 1";
inline constexpr std::string_view mail_record_version = "usershell mail 1";

/// Stands in place of an account's id in the record of a provider-level key.
inline constexpr std::string_view provider_level = "provider";

inline constexpr std::size_t record_padding = 128; ///< bytes

} // namespace usershell::crypto
