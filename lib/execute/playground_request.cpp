#include "execute/playground_request.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <limits>

namespace usershell::execute {
namespace {

constexpr std::size_t max_message = 32'768; ///< code points
constexpr std::int64_t max_max_tokens = 1'000'000;

std::string string_member(const boost::json::object& turn, std::string_view name) {
    const auto* value = turn.if_contains(name);
    if (value == nullptr || !value->is_string()) {
        throw invalid("history", "Each entry of the history has a role and a content.");
    }
    return std::string{value->get_string()};
}

std::vector<adapters::ChatMessage> read_history(const boost::json::array* turns) {
    std::vector<adapters::ChatMessage> history;
    if (turns == nullptr) return history;
    for (const auto& turn : *turns) {
        const auto* object = turn.if_object();
        if (object == nullptr) throw invalid("history", "The history is a list of objects.");
        const std::string role = string_member(*object, "role");
        if (role != "user" && role != "assistant") {
            throw invalid("history", R"(A role is "user" or "assistant".)");
        }
        history.push_back({role == "user" ? adapters::ChatMessage::Role::user
                                          : adapters::ChatMessage::Role::assistant,
                           string_member(*object, "content")});
    }
    return history;
}

void check_text(std::string_view field, const std::string& text) {
    if (count_code_points(text) > max_message) throw invalid(field, "At most 32,768 characters.");
    if (has_control(text, true)) throw invalid(field, "Control characters are not allowed here.");
}

std::string chosen_model(const PlaygroundRequest& request, const store::CallProvider& provider) {
    if (!request.model_id) {
        return provider.enabled_models.empty() ? std::string{} : provider.enabled_models.front();
    }
    if (std::ranges::find(provider.enabled_models, *request.model_id) ==
        provider.enabled_models.end()) {
        throw invalid("modelId", "This is not one of the provider's enabled models.");
    }
    return *request.model_id;
}

std::optional<std::uint32_t> token_limit(std::optional<std::int64_t> given) {
    if (!given) return std::nullopt;
    if (*given < 1 || *given > max_max_tokens) {
        throw invalid("maxTokens", "The token limit is a number from 1 to 1,000,000.");
    }
    return static_cast<std::uint32_t>(*given);
}

bool is_search(const store::CallProvider& provider) {
    const ProviderType* type = find_provider_type(provider.type);
    return type != nullptr && type->is_search;
}

} // namespace

PlaygroundRequest read_playground_request(const web::JsonBody& body) {
    const auto id = body.text("providerId");
    auto model_id = body.text("modelId");
    auto message = body.text("message");
    auto system = body.text("system");
    auto history = read_history(body.list("history"));
    const auto temperature = body.number("temperature");
    const auto max_tokens = body.integer("maxTokens");
    const bool stream = body.boolean("stream").value_or(false);
    if (!id || id->empty()) throw missing("providerId");
    auto provider = ProviderId::parse(*id);
    if (!provider) throw not_found();
    if (model_id && model_id->empty()) model_id.reset();
    return {*std::move(provider), std::move(model_id), message.value_or(""), system.value_or(""),
            std::move(history),   temperature,         max_tokens,           stream};
}

adapters::ChatRequest chat_of(const PlaygroundRequest& request,
                              const store::CallProvider& provider) {
    if (trim(request.message).empty()) throw missing("message");
    check_text("message", request.message);
    check_text("system", request.system);
    for (const adapters::ChatMessage& turn : request.history) check_text("history", turn.content);
    if (request.temperature && !(*request.temperature >= 0 && *request.temperature <= 2)) {
        throw invalid("temperature", "The temperature is a number from 0 to 2.");
    }
    adapters::ChatRequest chat;
    chat.max_tokens = token_limit(request.max_tokens);
    chat.temperature = request.temperature;
    chat.model = is_search(provider) ? std::string{} : chosen_model(request, provider);
    if (!provider.active) {
        throw Refusal{ErrorCode::provider_inactive,
                      "This provider is inactive. Activate it first."};
    }
    if (chat.model.empty() && !is_search(provider)) {
        throw Refusal{ErrorCode::no_enabled_model,
                      "This provider has no enabled model. Add or enable one."};
    }
    chat.system = request.system;
    chat.messages = request.history;
    chat.messages.push_back({adapters::ChatMessage::Role::user, request.message});
    chat.stream = request.stream;
    return chat;
}

} // namespace usershell::execute
