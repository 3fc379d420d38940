// The provider types: one row each. Adding a compatible provider is adding a row.
// Read-only after start; any thread may read.
#pragma once

#include "domain/address/url.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace usershell {

/// The wire protocol a type speaks; lib/adapters/protocols has a file for it.
enum class Protocol {
    openai,
    anthropic,
    gemini,
    azure_openai,
    ollama,
    tavily,
    brave_search,
    exa,
    serper,
    jina,
    firecrawl,
};

/// A model that a new provider of a type begins with, if the provider has it.
struct DefaultModel {
    std::string_view id;
    std::string_view name; ///< for people, where the provider's list has no name
    std::string_view capabilities;
};

/// A base URL ends where the protocol's own paths begin. The API's version belongs to the base URL
/// where the provider's documents have it there: "/v1" before "/chat/completions", "/v1beta" before
/// "/models/…", but nothing before "/api/tags".
struct ProviderType {
    std::string_view value; ///< as in requests and the store: "google-gemini"
    std::string_view label; ///< for people: "Google Gemini"
    Protocol protocol;
    std::string_view default_base_url; ///< canonical; empty where a person must enter one
    bool owns_base_url; ///< web search/fetch: the catalogue's URL is stored, a sent one ignored
    bool streams;
    bool lists_models;
    bool is_search;             ///< needs no model; a check sends a one-word query
    std::string_view key_url;   ///< where a person gets a key; empty when there is no one place
    bool model_in_path = false; ///< a model's id becomes part of its URLs
    bool key_optional = false;  ///< a self-hosted server may need no key: no_key is accepted
    /// Current models, the one for everyday use first; a few older ones follow for keys that have
    /// no right to the newest. Empty where models are a person's own.
    std::span<const DefaultModel> default_models{};
};

/// Entered in place of a key for types that need none. No header is sent then.
inline constexpr std::string_view no_key = "none";

/// Every type, in the order in which a person should see them.
std::span<const ProviderType> provider_types();

/// nullptr for an unknown value.
const ProviderType* find_provider_type(std::string_view value);

/// The base URL that a provider of the type is stored with and its keys are bound to: all URLs of
/// its calls begin with it. Of a longer URL that people paste, the rest is cut off: a deployment of
/// Azure's ("/openai/deployments/…"), the OpenAI-compatible path of Ollama and DeepSeek ("/v1").
std::string stored_base_url(const ProviderType& type, const BaseUrl& given);

/// The API routes that URLs in documentation end with: people paste such a URL where its base URL
/// belongs.
std::span<const std::string_view> pasted_endings();

/// Is a segment of a path the version of an API: "v1", "v1beta", "v2.1"; not "v2-preview"?
bool is_version(std::string_view segment);

/// Corrects a text that can't be the type's base URL. It takes the address in it (entered.hpp)
/// and cuts it before a route of an API ("…/v1/chat/completions", "…/v1/images/generations", also
/// with a query), a second version and "//". The address of another part of the provider becomes
/// the base URL of the type, or of the type that has this host: a part of its path, the page where
/// keys are made, another API on the host (Gemini's OpenAI-compatible side in its own type,
/// Vertex). Null when `given` is a base URL already, or has none.
std::optional<std::string> base_url_in(const ProviderType& type,
                                       const std::string& default_base_url, std::string_view given);

/// A type's default base URL: the operator's (`overrides`: rows "type=URL" of the setting
/// `catalogue-base-url`, checked and canonical as read_settings() leaves them; the last one for a
/// type counts), else the catalogue's. Empty where the user must give one.
std::string default_base_url(const ProviderType& type, const std::vector<std::string>& overrides);

} // namespace usershell
