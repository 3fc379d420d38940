#include "adapters/request_options.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace usershell::adapters {

namespace {

// No two servers refuse an option in the same words. So no sentence is looked for, but the option's
// name, however it is spelled, and a word that refuses. A blank in a row is the bound of a word.

/// The option is unknown, or not for this model.
constexpr auto unsupported = std::to_array<std::string_view>(
    {" not ",       " no ",         " cannot ",     " cant ",        " isnt ",     " arent ",
     " doesnt ",    " dont ",       " never ",      " unsupport",    " unrecogni", " unknown",
     " unexpected", " unpermitted", " undefined",   " extra ",       " deprecat",  " forbid",
     " disallow",   " remov",       " unavailable", " incompatible", " instead ",  " renam",
     " replac",     " legacy ",     "\u4e0d",       "\u672a",        "\u65e0",     "\u5e9f",
     "\u7981",      "\u52ff"});
/// Its value is at fault.
constexpr auto wrong = std::to_array<std::string_view>(
    {" invalid", " illegal", " only ", " must ",    " should ", " wrong",   " bad ",   " reject",
     " refus",   " requir",  " fail",  " conflict", " enable",  " ignored", " fixed ", " expected ",
     " omit ",   "\u53ea",   "\u5fc5", "\u9519",    "\u975e",   "\u4ec5",   "\u9700"});
/// The number of tokens is at fault, not the name of their limit.
constexpr auto out_of_bounds = std::to_array<std::string_view>(
    {" too large", " too high", " too big",     " too many",    " exceed",       " maximum ",
     " at most",   " at least", " minimum ",    " less than",   " greater than", " between",
     " range",     " positive", " limit ",      " limit was",   " reduce",       " lower ",
     " higher ",   "\u8d85",    "\u8fc7\u5927", "\u8fc7\u957f", "\u8303\u56f4",  "\u4e0a\u9650"});

constexpr auto in_a_system_role = std::to_array<std::string_view>(
    {" role ", " roles ", " system role", " system message", " system prompt",
     " system instruction", " systemrole", " systemmessage", " systemprompt", " systeminstruction",
     " developer message", " developer instruction", " system \u89d2\u8272", " system extra ",
     " system parameter", " first message", " start with a user", " start with user"});
constexpr auto system_in_quotes =
    std::to_array<std::string_view>({"'system'", "\"system\"", "`system`"});
constexpr auto in_a_stream = std::to_array<std::string_view>(
    {" stream ", " streaming ", " streamed ", " nonstream", " non stream", "\u6d41\u5f0f"});

constexpr auto of_a_route = std::to_array<std::string_view>(
    {" endpoint", " route ", " path ", " url ", " uri ", " page ", " method "});
constexpr auto of_a_key = std::to_array<std::string_view>(
    {" key ", " keys ", " apikey ", " token ", " tokens ", " credential", " bearer ", " auth",
     " password ", " login ", " permission", " account ", " expired "});
/// AWS's words for a route that is not there, though they seem to be about a key (API Gateway,
/// "Resolving issues").
constexpr std::string_view no_route_of_aws = " missing authentication token ";

bool is_part(char c) { return is_alphanumeric(c) || c < 0; }

/// Words with one blank around each. Signs inside a name or a word are left out, so that
/// "max_tokens" and "maxTokens" are the same.
std::string words_of(std::string_view text) {
    std::string words{" "};
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool is_joint = c == '_' || c == '-' || c == '\'';
        const bool is_inside =
            i > 0 && i + 1 < text.size() && is_part(text[i - 1]) && is_part(text[i + 1]);
        if (is_joint && is_inside) continue;
        const bool is_bound = !is_part(c) || (i > 0 && (c < 0) != (text[i - 1] < 0));
        if (is_bound && words.back() != ' ') words += ' ';
        if (is_part(c)) words += c;
    }
    return words + " ";
}

/// The words of an error: its message, the parameter and the codes.
class Complaint {
public:
    explicit Complaint(const ProviderError& error)
        : error_{error},
          parameter_{words_of(error.parameter)},
          text_{words_of(error.message + " " + error.parameter + " " + error.faults)} {
        for (const std::string& code : error.words) // not "invalid_request_error", which all have
            if (code.starts_with("un") || code.starts_with("extra")) text_ += words_of(code);
    }

    /// `name`: its words, with a blank between them.
    bool names(std::string_view name) const {
        return has(" " + std::string{name} + " ") || has(" " + without(name, ' ') + " ");
    }
    /// Is it told to be the input at fault?
    bool is_at(std::string_view name) const {
        return parameter_.find(" " + without(name, ' ') + " ") != std::string::npos;
    }
    bool refuses(std::string_view name) const { return is_at(name) || (refuses() && names(name)); }
    bool names_system_role() const {
        return has_any(in_a_system_role) || is_at("system") ||
               std::ranges::any_of(system_in_quotes, [this](auto name) {
                   return error_.message.find(name) != std::string::npos;
               });
    }
    bool names_key() const {
        const auto is_of_key = [](const auto& code) {
            return code.find("key") != std::string::npos;
        };
        return !has(no_route_of_aws) &&
               (has_any(of_a_key) || std::ranges::any_of(error_.words, is_of_key));
    }
    bool refuses() const { return has_any(unsupported) || has_any(wrong); }
    bool has_any(std::span<const std::string_view> list) const {
        return std::ranges::any_of(list, [this](auto words) { return has(words); });
    }

    bool has(std::string_view words) const { return text_.find(words) != std::string::npos; }

private:
    const ProviderError& error_;
    std::string parameter_;
    std::string text_;
};

bool has_two_token_limits(Protocol protocol) {
    return protocol != Protocol::anthropic && protocol != Protocol::gemini;
}

constexpr std::string_view limit_name(bool completion) {
    return completion ? "max completion tokens" : "max tokens";
}

/// Is the request itself at fault? A server that fails by its own fault may say so, too.
bool is_about_options(Reason reason) {
    return reason == Reason::rejected || reason == Reason::failed ||
           reason == Reason::too_many_tokens || reason == Reason::too_long;
}

} // namespace

bool refuses_route(const ProviderError& error) {
    const Complaint complaint{error};
    if (error.status == 401 || error.status == 403)
        return !error.is_blocked && !complaint.names_key();
    return is_about_options(reason_of(error)) && complaint.has_any(of_a_route) &&
           complaint.refuses();
}

bool may_lack_version(const CallTarget& target) {
    return target.type.protocol == Protocol::openai && target.base_url.path().empty();
}

bool lacks_version(const CallTarget& target, const UpstreamError& error) {
    return may_lack_version(target) &&
           (error.reason() == Reason::not_this_protocol || error.said().refuses_route);
}

const UpstreamError& told_of(const std::optional<UpstreamError>& at_root,
                             const UpstreamError& error) {
    const bool is_refused = at_root && at_root->fault() == Fault::key;
    return is_refused && error.reason() == Reason::not_this_protocol ? *at_root : error;
}

bool adjust(const CallTarget& target, const ProviderError& error, const RequestOptions& first,
            RequestOptions& options) {
    const auto reason = reason_of(error);
    // "Your organization must be verified to stream this model", with this parameter.
    const Complaint complaint{error};
    const bool is_at_stream = complaint.is_at("stream");
    if (!is_about_options(reason) && !is_at_stream) return false;
    const bool refuses = complaint.refuses();
    const bool is_unsupported = complaint.has_any(unsupported);
    const bool is_out_of_bounds = complaint.has_any(out_of_bounds);
    const bool names_limit = complaint.names(limit_name(options.completion_tokens));
    const bool names_other_limit = complaint.names(limit_name(!options.completion_tokens));
    const bool is_of_usage =
        complaint.refuses("stream options") || complaint.refuses("include usage") ||
        (complaint.has(" additional propert") && error.parameter.empty()); // Fastify names none
    if (options.stream && is_of_usage && std::exchange(options.usage, false)) return true;
    // "Use 'max_completion_tokens'", "unknown field max_tokens"; not "max_tokens is too large".
    if (has_two_token_limits(target.type.protocol) && options.max_tokens && !is_out_of_bounds &&
        (complaint.is_at(limit_name(options.completion_tokens)) ||
         (names_limit && is_unsupported) || (names_other_limit && refuses)) &&
        options.completion_tokens == first.completion_tokens) {
        options.completion_tokens = !options.completion_tokens;
        return true;
    }
    const bool wants_fewer = reason == Reason::too_many_tokens || reason == Reason::too_long ||
                             (names_limit && is_out_of_bounds);
    if (wants_fewer && std::exchange(options.fewer_tokens, false)) {
        options.max_tokens = few_check_tokens;
        return true;
    }
    if (complaint.refuses("temperature") && std::exchange(options.temperature, false)) return true;
    if (refuses && complaint.names_system_role() && std::exchange(options.system_role, false))
        return true;
    // "This model only support stream mode", "stream must be set to true", "requires streaming"
    const bool is_against =
        options.stream ? is_unsupported || complaint.has(" false ") || complaint.has(" disable")
                       : refuses;
    const bool is_of_stream = is_at_stream || (complaint.has_any(in_a_stream) && is_against);
    if (!is_of_stream || options.stream != first.stream) return false;
    options.stream = !options.stream;
    return true;
}

ChatRequest with_system_in_first_turn(ChatRequest request) {
    const auto first =
        std::ranges::find(request.messages, ChatMessage::Role::user, &ChatMessage::role);
    if (first == request.messages.end()) return request;
    if (!first->content.empty()) request.system += "\n\n";
    first->content.insert(0, std::exchange(request.system, {}));
    return request;
}

} // namespace usershell::adapters
