// The fields that a person fills in on a provider, a model or an account: what of base/rules.hpp
// holds for each, and what no row can say. Each function returns the value as it is stored or
// throws Refusal missing_field or invalid_field. Pure.
#pragma once

#include "base/catalogue.hpp"
#include "crypto/secret.hpp"
#include "manage/services.hpp"

#include <optional>
#include <string>

namespace usershell::manage {

/// Nothing given: generic-compatible.
const ProviderType& type_field(const std::optional<std::string>& given);

/// As it is stored: the catalogue's for search types, else the given one, canonical, allowed by the
/// settings, and no longer than what the type's calls have in common.
std::string base_url_field(const Services& services, const ProviderType& type,
                           const std::optional<std::string>& given);

crypto::Secret api_key_field(const std::optional<crypto::Secret>& given);

/// True: active.
bool status_field(const std::optional<std::string>& given);

/// Where the type makes it a part of URLs, it fits into a path (base/address/url.hpp).
std::string model_id_field(const std::optional<std::string>& given, const ProviderType& type);

/// Nothing or empty: `model_id`.
std::string model_name_field(const std::optional<std::string>& given, const std::string& model_id);

/// Comma separated; trimmed, lower-cased, duplicates dropped, order kept. Nothing: required.
std::string capabilities_field(const std::optional<std::string>& given);

} // namespace usershell::manage
