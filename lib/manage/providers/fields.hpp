// The fields of a provider, a model or an account, as a person fills them in: read by the rules of
// base/rules.hpp, and checked for what no row there can express. Each function returns the value as
// it is stored or throws Refusal missing_field or invalid_field. Pure.
#pragma once

#include "base/catalogue.hpp"
#include "crypto/secret.hpp"
#include "manage/services.hpp"

#include <optional>
#include <string>

namespace usershell::manage {

/// The type of that name; generic-compatible when nothing is given.
const ProviderType& type_field(const std::optional<std::string>& given);

/// As it is stored: the catalogue's for search types; else the given one in canonical form, cut by
/// stored_base_url(). Refused when the settings do not allow its host.
std::string base_url_field(const Services& services, const ProviderType& type,
                           const std::optional<std::string>& given);

crypto::Secret api_key_field(const std::optional<crypto::Secret>& given);

/// True for "active".
bool status_field(const std::optional<std::string>& given);

/// Where the type puts it into a URL's path, it must fit there (base/address/url.hpp:
/// fits_into_path()).
std::string model_id_field(const std::optional<std::string>& given, const ProviderType& type);

/// `model_id` when nothing or an empty text is given.
std::string model_name_field(const std::optional<std::string>& given, const std::string& model_id);

/// A list with commas; each word is trimmed and lower-cased, duplicates are dropped, the order is
/// kept. Throws missing_field when nothing is given.
std::string capabilities_field(const std::optional<std::string>& given);

} // namespace usershell::manage
