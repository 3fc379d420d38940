#include "execute/playground/playground_request.hpp"

#include "base/error.hpp"
#include "base/rules.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace usershell::execute {
namespace {

using Role = adapters::ChatMessage::Role;
/// As rules::words::roles has them.
constexpr std::array roles{Role::user, Role::assistant};
static_assert(roles.size() == std::size(rules::words::roles));

std::string string_member(const boost::json::object& turn, std::string_view name) {
    const auto* value = turn.if_contains(name);
    if (value == nullptr || !value->is_string()) {
        throw invalid("history", "Each entry of the history has a role and a content."_en);
    }
    return std::string{value->get_string()};
}

std::vector<adapters::ChatMessage> read_history(const boost::json::array* turns) {
    std::vector<adapters::ChatMessage> history;
    if (turns == nullptr) return history;
    if (turns->size() > rules::max_history)
        throw invalid("history",
                      {"The history has at most {count} entries."_en,
                       {{"count", grouped(static_cast<std::int64_t>(rules::max_history))}}});
    for (const auto& turn : *turns) {
        const auto* object = turn.if_object();
        if (object == nullptr) throw invalid("history", "The history is a list of objects."_en);
        const auto role = rules::read(rules::role, string_member(*object, "role"));
        history.push_back({roles.at(role), string_member(*object, "content")});
    }
    return history;
}

std::string chosen_model(const PlaygroundRequest& request, const store::CallProvider& provider) {
    if (!request.model_id) {
        return provider.enabled_models.empty() ? std::string{} : provider.enabled_models.front();
    }
    if (std::ranges::find(provider.enabled_models, *request.model_id) ==
        provider.enabled_models.end()) {
        throw invalid("modelId", "This is not one of the provider's enabled models."_en);
    }
    return *request.model_id;
}

} // namespace

PlaygroundRequest read_playground_request(const web::JsonBody& body) {
    const auto id = body.text("providerId");
    PlaygroundRequest request;
    request.model_id = body.text("modelId");
    request.message = body.text("message").value_or("");
    request.system = body.text("system").value_or("");
    request.history = read_history(body.list("history"));
    request.temperature = body.number("temperature");
    request.max_tokens = body.integer("maxTokens");
    request.stream = body.boolean("stream").value_or(false);
    request.reasoning = body.boolean("reasoning").value_or(false);
    if (!id || id->empty()) throw missing("providerId");
    if (!ProviderId::parse(*id)) throw not_found();
    if (request.model_id && request.model_id->empty()) request.model_id.reset();
    return request;
}

adapters::ChatRequest chat_of(const PlaygroundRequest& request,
                              const store::CallProvider& provider) {
    if (trim(request.message).empty()) throw missing("message");
    rules::check(rules::message, request.message);
    rules::check(rules::system_prompt, request.system);
    for (const adapters::ChatMessage& turn : request.history)
        rules::check(rules::history_content, turn.content);
    adapters::ChatRequest chat;
    if (request.temperature)
        chat.temperature = rules::read(rules::temperature, *request.temperature);
    if (request.max_tokens)
        chat.max_tokens =
            static_cast<std::uint32_t>(rules::read(rules::max_tokens, *request.max_tokens));
    chat.model = !provider.needs_model() ? std::string{} : chosen_model(request, provider);
    if (!provider.is_active) {
        throw Refusal{ErrorCode::provider_inactive,
                      "This provider is inactive. Activate it first."_en};
    }
    if (chat.model.empty() && provider.needs_model()) {
        throw Refusal{ErrorCode::no_enabled_model,
                      "This provider has no enabled model. Add or enable one."_en};
    }
    chat.system = request.system;
    chat.messages = request.history;
    chat.messages.push_back({adapters::ChatMessage::Role::user, request.message});
    chat.stream = request.stream;
    chat.reasoning = request.reasoning;
    return chat;
}

} // namespace usershell::execute
