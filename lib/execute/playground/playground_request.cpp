#include "execute/playground/playground_request.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "domain/rules.hpp"
#include "execute/playground/images.hpp"

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

const boost::json::array* images_in(const boost::json::object& turn, Role role) {
    const auto* value = turn.if_contains("images");
    if (value == nullptr || value->is_null()) return nullptr;
    if (!value->is_array()) throw invalid("history", "The images of a message are a list."_en);
    if (role != Role::user) throw invalid("history", "Only a user's messages have images."_en);
    return &value->get_array();
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
        history.push_back({roles.at(role), string_member(*object, "content"),
                           read_images("history", images_in(*object, roles.at(role)))});
    }
    return history;
}

void check_sizes(const PlaygroundRequest& request, std::size_t bytes) {
    std::size_t decoded = 0;
    std::size_t encoded = 0;
    const auto add = [&](const std::vector<adapters::ChatImage>& images) {
        for (const auto& image : images) {
            decoded += bytes_of(image);
            encoded += image.data.size();
        }
    };
    add(request.images);
    for (const adapters::ChatMessage& turn : request.history) add(turn.images);
    if (decoded > rules::max_all_image_bytes)
        throw invalid("images", {"The images of a conversation have at most {size} in all."_en,
                                 {{"size", readable_size(rules::max_all_image_bytes)}}});
    if (bytes > encoded + rules::max_large_json_body)
        throw Refusal{ErrorCode::body_too_large,
                      {"The request is larger than {limit}, without its images."_en,
                       {{"limit", readable_size(rules::max_large_json_body)}}}};
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

PlaygroundRequest read_playground_request(const web::JsonBody& body, std::size_t bytes) {
    const auto id = body.text("providerId");
    PlaygroundRequest request;
    request.model_id = body.text("modelId");
    request.message = body.text("message").value_or("");
    if (trim(request.message).empty()) request.message.clear();
    request.system = body.text("system").value_or("");
    request.images = read_images("images", body.list("images"));
    request.history = read_history(body.list("history"));
    check_sizes(request, bytes);
    request.temperature = body.number("temperature");
    request.max_tokens = body.integer("maxTokens");
    request.stream = body.boolean("stream").value_or(false);
    request.reasoning = body.boolean("reasoning").value_or(false);
    if (!id || id->empty()) throw missing("providerId");
    if (!ProviderId::parse(*id)) throw not_found();
    if (request.model_id && request.model_id->empty()) request.model_id.reset();
    return request;
}

adapters::ChatRequest chat_of(const PlaygroundRequest& request, const store::CallProvider& provider,
                              const Sees& sees) {
    if (!request.message.empty())
        rules::check(rules::message, request.message);
    else if (request.images.empty())
        throw missing("message");
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
    chat.messages = request.history;
    chat.messages.push_back({adapters::ChatMessage::Role::user, request.message, request.images});
    const bool lacks_model = chat.model.empty() && provider.needs_model();
    if (has_images(chat) && !lacks_model && !(sees && sees(chat.model)))
        throw invalid(
            "images",
            "This model does not read images. Choose one with the capability “Vision”."_en);
    if (!provider.is_active) {
        throw Refusal{ErrorCode::provider_inactive,
                      "This provider is inactive. Activate it first."_en};
    }
    if (lacks_model) {
        throw Refusal{ErrorCode::no_enabled_model,
                      "This provider has no enabled model. Add or enable one."_en};
    }
    chat.system = request.system;
    chat.stream = request.stream;
    chat.reasoning = request.reasoning;
    return chat;
}

} // namespace usershell::execute
