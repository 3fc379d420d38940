// The address that a person signs in with, and that mail is sent to. Pure; any thread may call.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace usershell {

/// A login address: at most 254 bytes, one '@', an RFC 5321 dot-string local part of at most 64
/// bytes (letters, marks and digits beyond ASCII allowed, RFC 6531), a domain of at least two
/// labels that IDNA 2008 accepts, the last of them no number.
struct EmailAddress {
    /// As typed, trimmed, in NFC.
    std::string shown;
    /// For comparisons: NFC of the full case fold of the local part, '@', the domain's IDNA ASCII
    /// form.
    std::string normalized;
    /// The whole address as mail is sent to it: local part as typed, '@', the domain's IDNA ASCII
    /// form.
    std::string deliverable;
};

/// Null when `text` is no such address.
std::optional<EmailAddress> parse_email(std::string_view text);

} // namespace usershell
