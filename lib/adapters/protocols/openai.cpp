#include "adapters/protocols/openai.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

json::array messages_of(const ChatRequest& request) {
    json::array messages;
    if (!request.system.empty())
        messages.push_back({{"role", "system"}, {"content", request.system}});
    for (const auto& message : request.messages) {
        const bool user = message.role == ChatMessage::Role::user;
        messages.push_back({{"role", user ? "user" : "assistant"}, {"content", message.content}});
    }
    return messages;
}

json::value body_of(const ChatRequest& request, const RequestOptions& options) {
    json::object body{
        {"model", request.model}, {"messages", messages_of(request)}, {"stream", options.stream}};
    if (options.stream && options.usage) body["stream_options"] = {{"include_usage", true}};
    if (request.temperature && options.temperature) body["temperature"] = *request.temperature;
    if (const auto limit = token_limit(request))
        body[options.completion_tokens ? "max_completion_tokens" : "max_tokens"] = *limit;
    return body;
}

struct EndingRow {
    std::string_view reason;
    FinishReason finish_reason;
};

constexpr auto endings = std::to_array<EndingRow>({
    {"length", FinishReason::length},
    {"max_tokens", FinishReason::length},
    {"model_length", FinishReason::length},
    {"content_filter", FinishReason::filter},
    {"safety", FinishReason::filter},
    {"sensitive", FinishReason::filter},
    {"tool_calls", FinishReason::tool},
    {"function_call", FinishReason::tool},
});

/// What stands in their place when the provider itself broke off.
constexpr auto failures =
    std::to_array<std::string_view>({"error", "network_error", "insufficient_system_resource"});

FinishReason finish_reason_of(std::string_view reason) {
    const auto* const row = std::ranges::find(endings, lower_ascii(reason), &EndingRow::reason);
    return row == endings.end() ? FinishReason::stop : row->finish_reason;
}

/// The texts of the parts of one type, which may be nested (Mistral's "thinking").
std::string texts_of(const json::array& parts, std::string_view type) {
    std::string text;
    for (const auto& part : parts) {
        if (text_at(part, "/type") != type) continue;
        const auto* const nested = array_at(part, "/" + std::string{type});
        text += nested ? texts_of(*nested, "text") : std::string{text_at(part, "/text")};
    }
    return text;
}

/// Text as a string, or as parts of which those that think are not the answer's.
std::string text_of(const json::value* content) {
    const auto* const parts = content ? content->if_array() : nullptr;
    return parts ? texts_of(*parts, "text") : std::string{content ? text_at(*content, "") : ""};
}

std::string reasoning_in(const json::array& details) {
    std::string text;
    for (const auto& detail : details)
        for (const auto* const place : {"/text", "/summary"}) text += text_at(detail, place);
    return text;
}

/// Where a family's members put what a model thinks. OpenRouter has it twice.
std::string reasoning_of(const json::value& message) {
    for (const auto* const place : {"/reasoning_content", "/reasoning"})
        if (const auto text = text_at(message, place); !text.empty()) return std::string{text};
    if (const auto* const parts = array_at(message, "/content"))
        return texts_of(*parts, "thinking");
    const auto* const details = array_at(message, "/reasoning_details");
    return details ? reasoning_in(*details) : std::string{};
}

/// xAI counts reasoning beside the output, others in it: the total tells.
Usage usage_of(const json::value& usage) {
    Usage read{count_at(usage, "/prompt_tokens"), count_at(usage, "/completion_tokens"),
               count_at(usage, "/completion_tokens_details/reasoning_tokens")};
    const bool beside =
        read.input && read.output && read.reasoning &&
        count_at(usage, "/total_tokens") == *read.input + *read.output + *read.reasoning;
    if (beside) *read.output += *read.reasoning;
    return read;
}

void read_usage(const json::value& value, Answer& answer) {
    for (const auto* const place : {"/usage", "/x_groq/usage", "/choices/0/usage"})
        if (const auto* const usage = find_value(value, place); usage && usage->is_object())
            answer.usage = usage_of(*usage);
}

void read_message(const json::value& message, Answer& answer) {
    const auto text = text_of(find_value(message, "/content"));
    answer.text += text.empty() ? std::string{text_at(message, "/refusal")} : text;
    if (answer.wants_reasoning) answer.reasoning += reasoning_of(message);
    answer.asks_for_tool = answer.asks_for_tool || array_at(message, "/tool_calls");
}

/// Perplexity's chunks have the new text in `delta` and all that has come so far in `message`.
void read_choice(const json::value& choice, Answer& answer) {
    const auto* const delta = find_value(choice, "/delta");
    const auto* const message = find_value(choice, "/message");
    if (delta && delta->is_object())
        read_message(*delta, answer);
    else if (message)
        read_message(*message, answer);
    const auto reason = text_at(choice, "/finish_reason");
    if (std::ranges::find(failures, reason) != failures.end())
        answer.fail(choice);
    else if (!reason.empty())
        answer.finish_reason = finish_reason_of(reason);
}

/// Several choices come in one chunk or in turns. Old servers count tokens in `index`, from 1 on.
const json::value* first_choice(const json::array& choices, Answer& answer) {
    const auto is_first = [](const json::value& choice) {
        return count_at(choice, "/index").value_or(0) == 0;
    };
    const auto* const first = std::ranges::find_if(choices, is_first);
    if (first != choices.end()) {
        answer.has_first_choice = true;
        return first;
    }
    return answer.has_first_choice ? nullptr : &choices.front();
}

void read(const json::value& value, Answer& answer) {
    if (is_provider_error(value)) {
        answer.fail(value);
        return;
    }
    const auto* const choices = array_at(value, "/choices");
    if (!choices) return; // a keep-alive object
    answer.recognised = true;
    read_usage(value, answer);
    if (answer.model.empty()) answer.model = text_at(value, "/model");
    if (choices->empty()) return; // usage alone
    const auto* const chosen = first_choice(*choices, answer);
    if (!chosen) return;
    const auto& choice = *chosen;
    if (is_provider_error(choice))
        answer.fail(choice);
    else
        read_choice(choice, answer);
}

bool holds(const json::value& value, std::string_view pointer, std::string_view word) {
    const auto* const words = array_at(value, pointer);
    return words && std::ranges::any_of(*words, [&](const json::value& each) {
               return each.is_string() && std::string_view{each.get_string()} == word;
           });
}

/// Where a provider's list tells: Mistral's `capabilities`, Together's `type`, OpenRouter's
/// modalities.
std::string capabilities_of(const json::value& model) {
    const auto type = text_at(model, "/type");
    const bool chats = true_at(model, "/capabilities/completion_chat") || type == "chat" ||
                       holds(model, "/architecture/output_modalities", "text");
    Capabilities words;
    words.add("generation", chats || type == "language");
    words.add("assistant", chats);
    words.add("reasoning", holds(model, "/supported_parameters", "reasoning") ||
                               true_at(model, "/capabilities/reasoning"));
    words.add("vision", true_at(model, "/capabilities/vision") ||
                            holds(model, "/architecture/input_modalities", "image"));
    words.add("tools", true_at(model, "/capabilities/function_calling") ||
                           holds(model, "/supported_parameters", "tools"));
    words.add("image", type == "image" || holds(model, "/architecture/output_modalities", "image"));
    for (const auto* const word : {"code", "embedding", "rerank", "audio", "video", "moderation"})
        words.add(word, type == word);
    return std::move(words).text();
}

/// Where the list is: an array by itself, or in one of these places.
const json::array* list_of(const json::value& value) {
    if (value.is_array()) return value.if_array();
    for (const auto* const place : {"/data", "/models", "/data/data", "/data/models", "/result",
                                    "/result/data", "/result/models", "/items"})
        if (const auto* const list = array_at(value, place)) return list;
    return nullptr;
}

/// A model by its id, else its name; some lists are of bare strings.
void add_model(const json::value& model, ModelList& models) {
    const auto name = text_at(model, "/name");
    const auto id = text_at(model, "/id");
    const auto display = text_at(model, "/display_name");
    if (model.is_string())
        models.add(text_at(model, ""), {}, {});
    else
        models.add(id.empty() ? name : id, display.empty() ? name : display,
                   capabilities_of(model));
}

/// The parameter that asks for the next page: gateways page like Anthropic or by a token.
std::string next_page(const json::value& value) {
    const auto last = text_at(value, "/last_id");
    if (true_at(value, "/has_more") && !last.empty()) return "after=" + percent_encoded(last);
    for (const auto* const place : {"/next_page_token", "/nextPageToken"})
        if (const auto token = text_at(value, place); !token.empty())
            return "page_token=" + percent_encoded(token);
    return {};
}

std::string base_of(const CallTarget& target, const RequestOptions& options) {
    return target.base_url.text() + (options.version_path ? "/v1" : "");
}

} // namespace

// OpenAI calls max_tokens deprecated and refuses it for its reasoning models; most others know
// nothing else. Mistral tells of the usage unasked, and refuses what it does not know.
RequestOptions OpenAiAdapter::options(const CallTarget& target, const ChatRequest& request) const {
    RequestOptions options = Adapter::options(target, request);
    options.completion_tokens =
        target.type.value == "openai" || target.type.protocol == Protocol::azure_openai;
    options.usage = target.type.value != "mistral";
    return options;
}

net::HttpRequest OpenAiAdapter::chat_request(const CallTarget& target, const ChatRequest& request,
                                             const RequestOptions& options) const {
    return post_json(chat_url(target, request, options), key_of(target), body_of(request, options),
                     options.stream);
}

void OpenAiAdapter::read_event(const json::value& event, Answer& answer) const {
    read(event, answer);
}

void OpenAiAdapter::read_whole(const json::value& value, Answer& answer) const {
    read(value, answer);
    if (answer.recognised && answer.finish_reason == FinishReason::none)
        answer.finish_reason = FinishReason::stop;
}

net::HttpRequest OpenAiAdapter::models_request(const CallTarget& target, std::string_view page,
                                               const RequestOptions& options) const {
    auto url = models_url(target, options);
    if (!page.empty()) {
        url += url.find('?') == std::string::npos ? "?" : "&";
        url += page;
    }
    return get_json(std::move(url), key_of(target));
}

std::optional<std::string> OpenAiAdapter::read_models(const json::value& value,
                                                      ModelList& models) const {
    const auto* const list = list_of(value);
    if (!list) return std::nullopt;
    for (const auto& model : *list) add_model(model, models);
    return next_page(value);
}

std::string OpenAiAdapter::chat_url(const CallTarget& target, const ChatRequest&,
                                    const RequestOptions& options) const {
    return base_of(target, options) + "/chat/completions";
}

std::string OpenAiAdapter::models_url(const CallTarget& target,
                                      const RequestOptions& options) const {
    return base_of(target, options) + "/models";
}

net::KeyHeader OpenAiAdapter::key_header(std::string_view key) const {
    return {"Authorization", "Bearer ", key};
}

std::optional<net::KeyHeader> OpenAiAdapter::key_of(const CallTarget& target) const {
    if (target.type.key_optional && target.key == no_key) return std::nullopt;
    return key_header(target.key);
}

const Adapter& openai_adapter() {
    static const OpenAiAdapter adapter;
    return adapter;
}

} // namespace usershell::adapters
