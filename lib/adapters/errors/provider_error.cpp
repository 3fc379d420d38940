#include "adapters/errors/provider_error.hpp"

#include "adapters/causes/causes.hpp"
#include "adapters/reading/endings.hpp"
#include "base/ascii.hpp"
#include "base/text.hpp"
#include "domain/catalogue.hpp"
#include "domain/rules.hpp"
#include "net/event_stream.hpp"
#include "net/retry_after.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

constexpr std::size_t max_message = 4096; // bytes of it that are read
constexpr std::size_t max_details = 8;
constexpr int first_own_number = 1000; // from which a number is a code of a provider's own

constexpr auto message_pointers = std::to_array<std::string_view>({
    "/error/message",
    "/message",
    "/msg",
    "/err",
    "/error_msg",
    "/header/message",
    "/base_resp/status_msg",
    "/Response/Error/Message",
    "/response/error/message",
    "/readableMessage",
    "/error",
    "/detail",
    "/errors",
    "/error_description",
    "/error_message",
    "/errorMessage",
    "/Message",
    "/fault/faultstring",
    "/title",
    "/finishMessage",
    "/delta", // of a choice that failed, as its message
    "/content",
});

constexpr auto word_pointers = std::to_array<std::string_view>({
    "/error/code",
    "/error/type",
    "/error/status",
    "/error/innererror/code",
    "/error/metadata/error_type",
    "/code",
    "/type",
    "/name",
    "/status",
    "/tag",
    "/detail/code",
    "/detail/type",
    "/finish_reason",
    "/finishReason",
    "/error/message/code",
    "/error/message/type",
    "/errors/0/code",
    "/errors/0/extensions/code",
    "/Response/Error/Code",
    "/__type",
});

/// Where an error says in how many seconds to come back (OpenRouter: headers of its own).
constexpr auto wait_pointers = std::to_array<std::string_view>({
    "/error/retry_after",
    "/error/retry_after_seconds",
    "/error/metadata/retry_after",
    "/error/metadata/retry_after_seconds",
    "/error/metadata/headers/Retry-After",
    "/error/metadata/headers/X-RateLimit-Reset",
    "/retry_after",
    "/retryAfter",
    "/parameters/retry_after",
});

constexpr auto page_starts =
    std::to_array<std::string_view>({"<!doctype", "<html", "<head", "<?xml"});

// No two providers report errors alike, and proxies in front of them add forms of their own. So
// each part has a list of the places where it was seen, and the first one that has it is used. The
// machine words (codes and types) decide the reason. All are kept, because the decisive one may be
// anywhere. The message is for the user. Providers repeat keys and prompts in their messages, so
// only readable_words() of a text are matched.

/// Is it a secret none of whose words is too long for a known one?
bool may_be_words(std::string_view value) {
    bool has_long = false;
    for_each_piece(value, ' ', [&](std::string_view word) {
        has_long = has_long || word.size() >= min_key_for_words;
    });
    return value.size() >= rules::min_secret_header && !has_long;
}

/// Some wrap the object in an array: Gemini does in a stream that is no event stream.
const json::value& unwrapped(const json::value& value) {
    const auto* const array = value.if_array();
    return array && !array->empty() ? array->front() : value;
}

/// In an answer that has failed the error is that of its first choice.
const json::value& failed_part(const json::value& outer) {
    const auto& value = unwrapped(outer);
    const auto* const choices = array_at(value, "/choices");
    const bool has_choice = choices && !choices->empty() && !tells_failure(value);
    return has_choice ? choices->front() : value;
}

bool has_content(const json::value& value) {
    if (const auto* const parts = value.if_array()) return !parts->empty();
    if (const auto* const text = value.if_string()) return !text->empty();
    return value.is_object() || true_at(value, "") ||
           (value.is_number() && value.to_number<double>() != 0);
}
bool has_error(const json::value& value) { return has_content(value) && !value.is_bool(); }
bool is_false(const json::value& value) { return value.is_bool() && !value.get_bool(); }
bool is_error_word(const json::value& value) { return text_at(value, "") == "error"; }

bool is_bad_status(const json::value& value) {
    return finish_reason_of(text_at(value, "")) == FinishReason::failed ||
           (value.is_number() && value.to_number<double>() >= 400);
}

/// A number of an error, as a number or a word: not 0, not 200, not "ok".
bool is_bad_number(const json::value& value) {
    constexpr auto good =
        std::to_array<std::string_view>({"", "0", "200", "ok", "success", "null"});
    if (value.is_number())
        return value.to_number<double>() != 0 && value.to_number<double>() != 200;
    return value.is_string() &&
           std::ranges::find(good, lower_ascii(text_at(value, ""))) == good.end();
}

/// A member that shows a failure.
struct FailureForm {
    std::string_view pointer;
    bool (*tells)(const json::value& value);
};

/// They count with any other members beside them.
constexpr auto error_forms = std::to_array<FailureForm>({
    {"/error", has_error},
    {"/type", is_error_word},
    {"/object", is_error_word},
    {"/success", is_false},
    {"/base_resp/status_code", is_bad_number},
});
/// Where there is no answer.
constexpr auto failure_forms = std::to_array<FailureForm>({
    {"/code", is_bad_number},
    {"/error_code", is_bad_number},
    {"/errcode", is_bad_number},
    {"/status_code", is_bad_number},
    {"/statusCode", is_bad_number},
    {"/header/code", is_bad_number},
    {"/status", is_bad_status},
    {"/ok", is_false},
    {"/error", has_content},
    {"/errors", has_content},
    {"/error_msg", has_content},
    {"/error_message", has_content},
    {"/errorMessage", has_content},
    {"/detail", has_content},
    {"/fault", has_content},
    {"/__type", has_content},
    {"/Response/Error", has_content},
});

bool any_tells(std::span<const FailureForm> forms, const json::value& outer) {
    const auto& value = unwrapped(outer);
    return std::ranges::any_of(forms, [&](const FailureForm& form) {
        const auto* const found = find_value(value, form.pointer);
        return found && form.tells(*found);
    });
}

void read_message(std::string_view text, ProviderError& provider_error) {
    provider_error.message = readable_words(cut_at_blank(text, max_message));
    provider_error.said = shown_words(text);
    if (!provider_error.retry_after)
        provider_error.retry_after = net::wait_in_words(provider_error.message);
}

/// Reads the message of an error in plain text. A body that is no text has no message.
void read_plain(std::string_view text, ProviderError& provider_error) {
    const bool is_text = is_utf8(text) && text.find('\0') == std::string_view::npos;
    if (is_text) read_message(text, provider_error);
}

/// The first error in a list by a validator (FastAPI's, also inside Mistral's `message`).
const json::value* first_detail(const json::value& value) {
    for (const auto* const pointer : {"/detail/0", "/message/detail/0", "/error/message/detail/0"})
        if (const auto* const detail = find_value(value, pointer)) return detail;
    return nullptr;
}

/// A provider's own error numbers count as machine words, too.
std::string number_at(const json::value& value, std::string_view pointer) {
    const auto number = count_at(value, pointer);
    return number && *number >= first_own_number ? std::to_string(*number) : std::string{};
}

/// A string or a number. The first that is found counts.
void read_wait(const json::value& value, std::string_view pointer, ProviderError& provider_error) {
    if (provider_error.retry_after) return;
    const auto number = count_at(value, pointer);
    const auto text = number ? std::to_string(*number) : readable_words(text_at(value, pointer));
    provider_error.retry_after = net::parse_wait(text, std::chrono::system_clock::now());
}

void read_words(const json::value& value, ProviderError& provider_error) {
    const auto add = [&](std::string_view word) {
        if (!word.empty()) provider_error.words.push_back(readable_words(word));
    };
    for (const auto pointer : word_pointers) add(text_at(value, pointer));
    for (const auto* const pointer :
         {"/error/code", "/code", "/error_code", "/base_resp/status_code"})
        add(number_at(value, pointer));
    for (const auto pointer : wait_pointers) read_wait(value, pointer, provider_error);
    const auto* const details = array_at(value, "/error/details");
    if (!details) return;
    for (std::size_t i = 0; i < std::min(details->size(), max_details); ++i) {
        const auto& detail = (*details)[i];
        add(text_at(detail, "/reason"));
        read_wait(detail, "/retryDelay", provider_error);
    }
}

/// A status that the error itself names, as a number or in digits.
int status_at(const json::value& value, std::string_view pointer) {
    auto number = count_at(value, pointer);
    if (!number) number = parse_number<std::uint64_t>(readable_words(text_at(value, pointer)));
    return number && *number >= 400 && *number < 600 ? static_cast<int>(*number) : 0;
}

void read_status(const json::value& value, ProviderError& provider_error) {
    for (const auto* const pointer :
         {"/error/code", "/code", "/status", "/error/status", "/error/message/code", "/status_code",
          "/statusCode", "/errors/0/status"}) {
        provider_error.status = status_at(value, pointer);
        if (provider_error.status != 0) return;
    }
}

/// The parameter at fault: OpenAI names it, a validator gives its path, whose parts are runs here.
std::string parameter_of(const json::value& value) {
    const auto* const detail = first_detail(value);
    const auto* const way = detail ? array_at(*detail, "/loc") : nullptr;
    std::string parameter;
    for (const auto& part : way ? *way : json::array{})
        if (const auto name = text_at(part, ""); !name.empty())
            parameter.append(parameter.empty() ? "" : " ").append(name);
    for (const auto* const pointer : {"/error/param", "/param"})
        if (parameter.empty()) parameter = text_at(value, pointer);
    return parameter;
}

std::string message_of(const json::value& value, int depth = 0);

/// A text, those of a list, or the message of an error inside.
std::string text_in(const json::value& value, int depth) {
    constexpr int max_nested = 4;
    if (value.is_object()) return depth < max_nested ? message_of(value, depth + 1) : "";
    const auto* const parts = value.if_array();
    if (!parts) return std::string{text_at(value, "")};
    std::string all;
    for (std::size_t i = 0; i < std::min(parts->size(), max_details) && depth < max_nested; ++i) {
        const auto text = text_in((*parts)[i], depth + 1);
        if (!text.empty()) all.append(all.empty() ? "" : "; ").append(text);
    }
    return all;
}

std::string message_of(const json::value& value, int depth) {
    const auto* const detail = first_detail(value);
    if (const auto said = detail ? text_at(*detail, "/msg") : std::string_view{}; !said.empty()) {
        const std::string parameter = parameter_of(value);
        const auto last = parameter.substr(parameter.rfind(' ') + 1);
        return last.empty() ? std::string{said} : last + ": " + std::string{said};
    }
    for (const auto pointer : message_pointers) {
        const auto* const found = find_value(value, pointer);
        if (auto message = found ? text_in(*found, depth) : std::string{}; !message.empty())
            return message;
    }
    return std::string{text_at(value, "")}; // a bare string
}

void read_json(const json::value& outer, ProviderError& provider_error) {
    const auto& value = unwrapped(outer);
    if (value.is_string()) return read_plain(text_at(value, ""), provider_error);
    read_words(value, provider_error);
    provider_error.parameter = readable_words(parameter_of(value));
    read_message(message_of(value), provider_error);
}

/// The JSON inside a text: from its first brace to its last.
std::string_view json_in(std::string_view text) {
    const auto first = text.find('{');
    const auto last = text.rfind('}');
    return first < last && last != std::string_view::npos ? text.substr(first, last - first + 1)
                                                          : std::string_view{};
}

/// Gateways hand on, as a text, what the provider behind them said, OpenRouter in a place of its
/// own; their own message then says little.
void read_behind(const json::value& value, ProviderError& shown) {
    if (value.is_string()) return;
    const auto raw = text_at(value, "/error/metadata/raw");
    const std::string text = raw.empty() ? message_of(value) : std::string{raw};
    const auto inside = json_in(text);
    if (raw.empty() && inside.empty()) return;
    JsonMemory memory{max_error_bytes};
    ProviderError behind;
    const auto parsed = parse_json(without_long_escapes(inside.empty() ? raw : inside), &memory);
    if (parsed.value && !parsed.value->is_number())
        read_json(*parsed.value, behind);
    else if (!raw.empty())
        read_plain(raw, behind);
    shown.words.insert(shown.words.end(), behind.words.begin(), behind.words.end());
    if (!shown.retry_after) shown.retry_after = behind.retry_after;
    if (behind.message.empty()) return;
    shown.message = behind.message;
    shown.said = behind.said;
}

/// The first event of a stream; else the text itself.
std::string first_event(std::string_view text) {
    net::EventStream events;
    events.feed(std::string{text} + "\n\n"); // the last one may have no blank line
    while (const auto event = events.next())
        if (!event->data.empty() && trim_blanks(event->data) != "[DONE]")
            return std::string{event->data};
    return std::string{text};
}

void read_body(std::string_view body, bool cut_off, ProviderError& provider_error) {
    const auto text = cut_at_blank(cut_off ? without_last_run(body) : body, max_error_bytes);
    JsonMemory memory{max_error_bytes};
    const bool is_json = text.starts_with('{') || text.starts_with('[');
    const std::string said = is_json ? std::string{text} : first_event(text);
    const auto parsed = parse_json(without_long_escapes(said), &memory);
    if (!parsed.value) return read_plain(said, provider_error);
    read_json(*parsed.value, provider_error);
    read_behind(unwrapped(*parsed.value), provider_error);
}

/// By what a page begins with: a text may begin with "<", too.
bool is_markup(const net::HttpHead& head, std::string_view body) {
    const auto start = lower_ascii(trim_blanks(body.substr(0, 64)));
    return head.content_type == "text/html" ||
           std::ranges::any_of(page_starts, [&](auto page) { return start.starts_with(page); });
}

} // namespace

ProviderError read_provider_error(const net::HttpHead& head, std::string_view body, bool cut_off) {
    ProviderError provider_error;
    provider_error.status = head.status;
    provider_error.is_html = is_markup(head, body);
    provider_error.is_blocked =
        head.fields.contains("cf-mitigated") || (provider_error.is_html && head.status == 403);
    if (!provider_error.is_html) read_body(body, cut_off, provider_error);
    if (const auto wait = net::retry_after(head, std::chrono::system_clock::now()))
        provider_error.retry_after = wait;
    return provider_error;
}

ProviderError read_provider_error(const json::value& value) {
    ProviderError provider_error;
    const auto& part = failed_part(value);
    read_status(part, provider_error);
    read_json(part, provider_error);
    read_behind(part, provider_error);
    return provider_error;
}

bool is_provider_error(const json::value& value) { return any_tells(error_forms, value); }

bool tells_failure(const json::value& value) {
    return is_provider_error(value) || any_tells(failure_forms, value);
}

bool has_message(const json::value& value) {
    return value.is_object() && !message_of(unwrapped(value)).empty();
}

// Of a web page only the status counts.
Reason reason_of(const ProviderError& provider_error) {
    if (provider_error.is_blocked) return Reason::blocked;
    const int status = provider_error.status;
    if (const Cause* const cause = find_cause(provider_error)) return cause->reason;
    if (provider_error.is_html && status < 500) return Reason::not_this_protocol;
    return status == 0 || status >= 500 ? Reason::failed : Reason::rejected;
}

UpstreamError understand(const ProviderError& provider_error, std::string_view key,
                         std::span<const net::KeyHeader> own_headers) {
    const auto code = std::ranges::find_if(provider_error.words, is_cause_word);
    const bool shows_words = (key.size() >= min_key_for_words || key == no_key) &&
                             std::ranges::none_of(own_headers, may_be_words, &net::KeyHeader::key);
    return UpstreamError{reason_of(provider_error),
                         provider_error.retry_after,
                         {code == provider_error.words.end() ? std::string{} : *code,
                          shows_words ? provider_error.said : std::string{},
                          refuses_route(provider_error)}};
}

} // namespace usershell::adapters
