// A provider's own words made fit to be shown: trimmed, without control characters, short, and with
// every trace of the key masked.
#pragma once

#include <string>
#include <string_view>

namespace usershell::adapters {

/// `text` with the key, and any part of it of 8 characters or more, replaced by "••••". What
/// providers leave of a key when they mask it themselves ("sk-ab***yz") is shorter and stays.
std::string mask_key(std::string_view text, std::string_view key);

/// Any bytes as at most 300 code points of printable, masked text.
std::string shown_words(std::string_view text, std::string_view key);

} // namespace usershell::adapters
