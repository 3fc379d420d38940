// What is signed, and then sealed in an envelope: length-prefixed fields, padded. Every record
// begins with
//
//   `usershell record 1` ‖ kind ‖ installation ‖ signer's id ‖ owner
//
// and goes on, by kind, with
//
//   key    provider ‖ account or "provider" ‖ type ‖ base URL ‖ key
//   vault entry   entry's id ‖ kind of provider ‖ base URL or nothing ‖ key
//   mail   mail's id ‖ end of validity (decimal seconds since 1970) ‖ content
//
// The vault key's id is not in it, so that a rewrap to another one need not sign again. The sealed
// bytes are signature ‖ padded record, the padding signed too. Internal to lib/crypto and lib/mail.
#pragma once

#include <cstddef>
#include <string_view>

namespace usershell::crypto {

/// The first field. It also keeps a signature made here from meaning anything elsewhere.
inline constexpr std::string_view record_format = "usershell record 1";

/// Stands in place of an account's id in the record of a provider-level key.
inline constexpr std::string_view provider_level = "provider";

/// Bytes to a multiple of which a record is padded (sodium_pad): a length shows only in such steps.
inline constexpr std::size_t record_padding = 128;

} // namespace usershell::crypto
