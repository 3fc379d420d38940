// Reads the list of a provider's models, page by page. No two servers name a model's members alike,
// so all are read here, whatever protocol they speak. Sources: OpenAI, Anthropic, Mistral,
// Together, Cohere, Ollama, OpenRouter, Google AI, Fireworks: "List models"; LM Studio "REST API"
// (key); LiteLLM "Model info" (model_name); Hugging Face Hub and Amazon Bedrock (modelId); Azure AI
// (names beside ids of a registry); Cloudflare "List models" (names beside UUIDs). Of capabilities:
// those of Mistral, Together, OpenRouter (modalities), Anthropic, Google AI and Ollama.
#pragma once

#include "adapters/calls.hpp"
#include "adapters/reading/json.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::adapters {

/// The models of a list, page after page.
class ModelList {
public:
    /// Ignores ids that can't be used, and models after the first 10,000.
    void add(std::string_view id, std::string_view display_name, std::string capabilities);
    /// The provider has more, which were not read.
    void cut() { truncated_ = true; }
    bool empty() const { return models_.empty(); }
    /// Have more models been read than take() returns?
    bool full() const;
    /// Sorted by id, each once, at most 2,000.
    ModelListing take() &&;

private:
    std::vector<AvailableModel> models_;
    bool truncated_ = false;
};

/// The differences between the lists of the protocols.
struct ListForm {
    std::string_view capabilities{};       ///< of each model, besides those of its entry
    std::string_view after = "after";      ///< the parameter that takes a last model's id
    std::string_view token = "page_token"; ///< the one that takes a page's name
    std::string_view id_prefix{};          ///< cut off an id
};

/// Adds the models of a page: of the array that `page` is or has in a usual member. The id is what
/// a call needs. Returns the query of the next page, "after=x", of at most a few KiB; empty after
/// the last one. Only a query is taken of an address, so no list leads to another host. Returns
/// null when there is no list. Throws UpstreamError when none of its entries names a model.
std::optional<std::string> read_list(const json::value& page, const ListForm& form,
                                     ModelList& models);

} // namespace usershell::adapters
