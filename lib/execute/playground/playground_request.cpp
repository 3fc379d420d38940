#include "execute/playground/playground_request.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "crypto/bytes.hpp"
#include "domain/rules.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include <boost/json/object.hpp>

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
    if (role != Role::user) throw invalid("history", "Only a user’s messages have images."_en);
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

std::string chosen_model(const PlaygroundRequest& request, const opener::CallProvider& provider) {
    if (!request.model_id) {
        return provider.enabled_models.empty() ? std::string{} : provider.enabled_models.front();
    }
    if (std::ranges::find(provider.enabled_models, *request.model_id) ==
        provider.enabled_models.end()) {
        throw invalid("modelId", "This is not one of the provider’s enabled models."_en);
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

adapters::ChatRequest chat_of(const PlaygroundRequest& request,
                              const opener::CallProvider& provider, const Sees& sees) {
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
                      "This provider is switched off. Switch it on first."_en};
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

namespace {

std::size_t padding_of(std::string_view text) {
    return text.size() - (text.find_last_not_of('=') + 1);
}

/// The beginning of what a Base64 text stands for (RFC 4648, section 4); null: the text is not
/// canonical. Decodes a piece at a time, so that no image is copied.
std::optional<std::string> beginning_of(std::string_view text) {
    constexpr std::size_t piece = 4096;
    std::array<unsigned char, piece / 4 * 3> bytes{};
    std::optional<std::string> beginning;
    while (!text.empty()) {
        const auto part = text.substr(0, piece);
        text.remove_prefix(part.size());
        const auto size = crypto::decode_base64(part, bytes);
        if (!size || (!text.empty() && *size < bytes.size())) return std::nullopt; // "=" inside
        if (!beginning)
            beginning.emplace(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(*size));
    }
    return beginning;
}

/// The first bytes of a type, and those from the ninth on.
struct Signature {
    std::string_view first;
    std::string_view ninth;
};

// As rules::words::image_types has them. PNG: W3C, "Portable Network Graphics", 5.2. JPEG: ITU-T
// T.81, B.1.1.3, SOI and the next marker's first byte. WebP: RFC 9649, 2.4.
constexpr std::array signatures{Signature{"\x89PNG\r\n\x1a\n", ""}, Signature{"\xff\xd8\xff", ""},
                                Signature{"RIFF", "WEBP"}};
static_assert(signatures.size() == std::size(rules::words::image_types));

bool begins_as(const Signature& signature, std::string_view bytes) {
    constexpr std::size_t ninth = 8;
    return bytes.starts_with(signature.first) &&
           (signature.ninth.empty() ||
            (bytes.size() > ninth && bytes.substr(ninth).starts_with(signature.ninth)));
}

std::string_view text_in(const boost::json::value& image, std::string_view name,
                         std::string_view field) {
    const auto* const object = image.if_object();
    const auto* const value = object == nullptr ? nullptr : object->if_contains(name);
    const auto* const text = value == nullptr ? nullptr : value->if_string();
    if (text == nullptr) throw invalid(field, "Each image has a type and data, both strings."_en);
    return *text;
}

adapters::ChatImage read_image(std::string_view field, const boost::json::value& given) {
    rules::WordRule types = rules::image_type;
    types.field = field;
    const std::size_t type = rules::read(types, std::string{text_in(given, "type", field)});
    const adapters::ChatImage image{types.words[type], text_in(given, "data", field)};
    const auto beginning = beginning_of(image.data);
    if (!beginning) throw invalid(field, "The data of an image is Base64."_en);
    if (bytes_of(image) > rules::max_image_bytes)
        throw invalid(field, {"An image has at most {size}."_en,
                              {{"size", readable_size(rules::max_image_bytes)}}});
    if (!begins_as(signatures.at(type), *beginning))
        throw invalid(field, {"An image does not begin as {type} does."_en,
                              {{"type", std::string{image.type}}}});
    return image;
}

} // namespace

std::size_t bytes_of(const adapters::ChatImage& image) {
    return image.data.size() / 4 * 3 - padding_of(image.data);
}

std::vector<adapters::ChatImage> read_images(std::string_view field,
                                             const boost::json::array* images) {
    std::vector<adapters::ChatImage> read;
    if (images == nullptr) return read;
    if (images->size() > rules::max_images)
        throw invalid(field, {"A message has at most {count} images."_en,
                              {{"count", std::to_string(rules::max_images)}}});
    for (const auto& image : *images) read.push_back(read_image(field, image));
    return read;
}

} // namespace usershell::execute
