#include "adapters/errors/provider_error.hpp"

#include "adapters/causes/causes.hpp"
#include "base/ascii.hpp"
#include "base/text.hpp"
#include "domain/catalogue.hpp"

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
    "/response/error/message",
    "/error/detail",
    "/readableMessage",
    "/error",
    "/detail/error",
    "/detail/message",
    "/detail",
    "/errors/0/message",
    "/errors/0",
    "/error/0/message",
    "/error_description",
    "/title",
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

/// Some wrap the object in an array: Gemini does in a stream that is no event stream.
const json::value& unwrapped(const json::value& value) {
    const auto* const array = value.if_array();
    return array && !array->empty() ? array->front() : value;
}

void read_message(std::string_view text, ProviderError& provider_error) {
    provider_error.message = readable_words(cut_at_blank(text, max_message));
    provider_error.said = shown_words(text);
    if (!provider_error.retry_after)
        provider_error.retry_after = wait_in_words(provider_error.message);
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
    provider_error.retry_after = parse_wait(text, std::chrono::system_clock::now());
}

void read_words(const json::value& value, ProviderError& provider_error) {
    const auto add = [&](std::string_view word) {
        if (!word.empty()) provider_error.words.push_back(readable_words(word));
    };
    for (const auto pointer : word_pointers) add(text_at(value, pointer));
    for (const auto* const pointer : {"/error/code", "/code", "/error_code"})
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
    for (const auto* const pointer : {"/error/code", "/code", "/status", "/error/status"}) {
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

std::string message_of(const json::value& value) {
    if (const auto* const detail = first_detail(value)) {
        const std::string parameter = parameter_of(value);
        const std::string message{text_at(*detail, "/msg")};
        const auto last = parameter.substr(parameter.rfind(' ') + 1);
        return last.empty() ? message : last + ": " + message;
    }
    for (const auto pointer : message_pointers)
        if (const auto message = text_at(value, pointer); !message.empty())
            return std::string{message};
    return std::string{text_at(value, "")}; // a bare string
}

void read_json(const json::value& outer, ProviderError& provider_error) {
    const auto& value = unwrapped(outer);
    read_words(value, provider_error);
    provider_error.parameter = readable_words(parameter_of(value));
    read_message(message_of(value), provider_error);
}

/// OpenRouter hands on, as a text, what the provider behind it said; its own message then says
/// nothing.
void read_behind(const json::value& value, ProviderError& shown) {
    const auto raw = text_at(value, "/error/metadata/raw");
    if (raw.empty()) return;
    JsonMemory memory{max_error_bytes};
    ProviderError behind;
    const auto parsed = parse_json(without_long_escapes(raw), &memory);
    if (parsed.value && !parsed.value->is_number())
        read_json(*parsed.value, behind);
    else
        read_plain(raw, behind);
    shown.words.insert(shown.words.end(), behind.words.begin(), behind.words.end());
    if (!shown.retry_after) shown.retry_after = behind.retry_after;
    if (behind.message.empty()) return;
    shown.message = behind.message;
    shown.said = behind.said;
}

void read_body(std::string_view body, bool cut_off, ProviderError& provider_error) {
    const auto text = cut_at_blank(cut_off ? without_last_run(body) : body, max_error_bytes);
    JsonMemory memory{max_error_bytes};
    const auto parsed = parse_json(without_long_escapes(text), &memory);
    if (!parsed.value) return read_plain(text, provider_error);
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

bool ProviderError::has_word(std::string_view word) const {
    return std::ranges::find(words, word) != words.end();
}

bool ProviderError::says(std::string_view phrase) const {
    return message.find(phrase) != std::string::npos;
}

ProviderError read_provider_error(const net::HttpHead& head, std::string_view body, bool cut_off) {
    ProviderError provider_error;
    provider_error.status = head.status;
    provider_error.is_html = is_markup(head, body);
    provider_error.is_blocked =
        head.fields.contains("cf-mitigated") || (provider_error.is_html && head.status == 403);
    if (!provider_error.is_html) read_body(body, cut_off, provider_error);
    if (const auto wait = retry_after(head, std::chrono::system_clock::now()))
        provider_error.retry_after = wait;
    return provider_error;
}

ProviderError read_provider_error(const json::value& value) {
    ProviderError provider_error;
    read_status(unwrapped(value), provider_error);
    read_json(value, provider_error);
    read_behind(unwrapped(value), provider_error);
    return provider_error;
}

ProviderError read_provider_error(std::string_view words) {
    ProviderError provider_error;
    read_plain(words, provider_error);
    return provider_error;
}

bool is_provider_error(const json::value& outer) {
    const auto& value = unwrapped(outer);
    const auto* const error = find_value(value, "/error");
    const bool told = error && (error->is_object() || !text_at(*error, "").empty());
    return told || text_at(value, "/type") == "error" || text_at(value, "/object") == "error";
}

// Of a web page only the status counts.
Reason reason_of(const ProviderError& provider_error) {
    if (provider_error.is_blocked) return Reason::blocked;
    const int status = provider_error.status;
    if (const Cause* const cause = find_cause(provider_error)) return cause->reason;
    if (provider_error.is_html && status < 500) return Reason::not_this_protocol;
    return status == 0 || status >= 500 ? Reason::failed : Reason::rejected;
}

UpstreamError understand(const ProviderError& provider_error, std::string_view key) {
    const auto code = std::ranges::find_if(provider_error.words, is_cause_word);
    const bool shows_words = key.size() >= min_key_for_words || key == no_key;
    return UpstreamError{reason_of(provider_error),
                         provider_error.retry_after,
                         {code == provider_error.words.end() ? std::string{} : *code,
                          shows_words ? provider_error.said : std::string{}}};
}

} // namespace usershell::adapters
