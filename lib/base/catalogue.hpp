// The provider types: one row each. Adding a compatible provider is adding a row.
// Read-only after start; any thread may read.
#pragma once

#include "base/address/url.hpp"

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

/// Base URLs end where the protocol's own paths begin and hold the API's version where the
/// provider's documents write it there: "/v1" and "/chat/completions", "/v1beta" and "/models/…",
/// but "" and "/api/tags".
struct ProviderType {
    std::string_view value; ///< as in requests and the store: "google-gemini"
    std::string_view label; ///< for people: "Google Gemini"
    Protocol protocol;
    std::string_view default_base_url; ///< canonical; empty for generic-compatible and azure-openai
    bool owns_base_url; ///< web search/fetch: the catalogue's URL is stored, a sent one ignored
    bool streams;
    bool lists_models;
    bool is_search;             ///< needs no model; a check sends a one-word query
    std::string_view key_url;   ///< where a person gets a key; empty when there is no one place
    bool model_in_path = false; ///< a model's id becomes part of its URLs
    bool key_optional = false;  ///< a server of one's own that may need no key: no_key will do
};

/// The word that stands for no key at all, of types that allow it: no header is sent for it.
inline constexpr std::string_view no_key = "none";

/// Every type, in the order in which a person should see them.
std::span<const ProviderType> provider_types();

/// nullptr for an unknown value.
const ProviderType* find_provider_type(std::string_view value);

/// Is that the value of a search type? False for an unknown one.
bool is_search_type(std::string_view value);

/// The base URL that a provider of the type is stored with and its keys are bound to: where all
/// URLs of its calls begin. What people paste may go further, and loses that: a deployment of
/// Azure's
/// ("/openai/deployments/…"), the OpenAI-compatible side of Ollama ("/v1").
std::string stored_base_url(const ProviderType& type, const BaseUrl& given);

/// Endings of addresses that people copy from examples in place of the base URL in them.
std::span<const std::string_view> pasted_endings();

/// The base URL in an address that is none: one that ends in a route of the type's API
/// ("…/v1/chat/completions", also with a query), or is that of the type's own base URL
/// (`default_base_url`) without its path. Nothing when it is a base URL already, or no URL at all.
std::optional<std::string> base_url_in(const ProviderType& type,
                                       const std::string& default_base_url, std::string_view given);

/// The base URL that a type starts from: the operator's (`overrides`: rows "type=URL" of the
/// setting `catalogue-base-url`, checked and canonical as read_settings() leaves them; the last one
/// for a type counts), else the catalogue's. Empty where the user must give one.
std::string default_base_url(const ProviderType& type, const std::vector<std::string>& overrides);

} // namespace usershell
