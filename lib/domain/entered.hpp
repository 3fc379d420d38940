// A key, an address or the name of a header, as a person enters it for a provider. What people
// paste is the thing with what stood around it, a part of it, or the place where it is. Providers
// would refuse that with a sentence of their own, or a page would take it for healthy until it is
// used. Pure; no part of a key is copied.
#pragma once

#include "base/sentence.hpp"

#include <string>
#include <string_view>

namespace usershell {

/// Without white space and marks of byte order around it.
std::string_view trimmed_paste(std::string_view text);

/// The address in a text that is meant to be an address alone: without a name, a method, quotation
/// marks and other signs around it, with the scheme that is meant ("htps:/", "wss://", none before
/// a host). The text itself when it is one already, or has none.
std::string address_in_paste(std::string_view given);

/// The fault of a text that is meant to be a key alone; empty when nothing is known to be. It
/// knows links, signs around it, "NAME=" and "Bearer " before it, dots, asterisks or x in place of
/// a part, and names or words that stand for a key. Signs that a key may have inside are no fault.
Sentence error_in_pasted_key(std::string_view text);

// Headers that a person gives a provider, to be sent with each of its calls.

/// May a header of that name be sent? `name`: in lower case. It has letters, digits and hyphens, a
/// letter first, and is none of rules::words::refused_headers; other signs of a token become a
/// hyphen at some servers ("X_API_KEY"). `with_cookies`: the operator permits "cookie".
bool is_own_header(std::string_view name, bool with_cookies);

} // namespace usershell
