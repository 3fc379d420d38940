// The rules of every field that a person fills in on a provider, a model or an account: one
// function a field. Each returns the value as it is stored or throws Refusal missing_field or
// invalid_field. Pure.
#pragma once

#include "base/catalogue.hpp"
#include "crypto/secret.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace usershell::manage {

/// Trimmed, 1 to 100 code points, no control character. Of a provider or an account (`name`).
std::string name_field(const std::optional<std::string>& given);

/// Nothing given: generic-compatible.
const ProviderType& type_field(const std::optional<std::string>& given);

/// Trimmed, 1 to 4,096 bytes of visible ASCII. The string is wiped.
crypto::Secret api_key_field(std::optional<std::string>& given);

/// "active" → true, "inactive" → false.
bool status_field(const std::optional<std::string>& given);

/// 1 to 200 code points, no control character; not trimmed inside, only around.
std::string model_id_field(const std::optional<std::string>& given);

/// Trimmed, at most 200 code points; nothing or empty: `model_id`.
std::string model_name_field(const std::optional<std::string>& given, const std::string& model_id);

/// Comma separated; trimmed, lower-cased, duplicates dropped, order kept. Nothing: required.
std::string capabilities_field(const std::optional<std::string>& given);
inline constexpr const char* default_capabilities = "generation,assistant";

/// 0 to 1,000.
int priority_field(std::int64_t given);

} // namespace usershell::manage
