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
constexpr int max_nested = 4;
constexpr int first_own_number = 1000; // from which a number is a code of a provider's own

// Names of members are compared in small letters, without "_" and "-".

/// In their order: of several the first with a text counts.
constexpr auto message_names = std::to_array<std::string_view>(
    {"message",          "msg",       "err",         "errormsg",  "errmsg",
     "errormessage",     "resultmsg", "retmsg",      "statusmsg", "readablemessage",
     "errordescription", "error",     "detail",      "errors",    "issues",
     "description",      "exception", "faultstring", "title",     "finishmessage",
     "details",          "issue",     "reason",      "text",      "delta",
     "content",          "data"});
/// Objects around an error.
constexpr auto around = std::to_array<std::string_view>(
    {"error", "message", "detail", "errors", "response", "header", "baseresp", "errorinfo",
     "innererror", "metadata", "extensions", "fault", "status", "meta", "data"});
constexpr auto word_names = std::to_array<std::string_view>(
    {"code", "type", "status", "statuscode", "errorcode", "errcode", "resultcode", "retcode", "ret",
     "httpstatus", "errortype", "name", "tag", "finishreason", "__type"});

/// Members that name the input at fault, of OpenAI and of validators.
constexpr auto parameter_names = std::to_array<std::string_view>(
    {"param", "parameter", "field", "fieldname", "path", "instancepath", "loc", "location",
     "property", "propertyname", "additionalproperty", "unevaluatedproperty", "missingproperty",
     "keys", "pointer", "target", "argument", "attribute"});
/// Objects whose members are named like the inputs at fault.
constexpr auto by_parameter = std::to_array<std::string_view>(
    {"errors", "details", "detail", "fields", "fielderrors", "validationerrors", "modelstate"});

constexpr auto page_starts = std::to_array<std::string_view>({"<!doctype", "<html", "<head"});

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
    if (const auto* const object = value.if_object())
        return std::ranges::any_of(*object,
                                   [](const auto& member) { return has_content(member.value()); });
    return true_at(value, "") || (value.is_number() && value.to_number<double>() != 0);
}
bool is_false(const json::value& value) { return value.is_bool() && !value.get_bool(); }
bool is_error_word(const json::value& value) { return text_at(value, "") == "error"; }

bool is_no(const json::value& value) {
    const auto text = lower_ascii(text_at(value, ""));
    return is_false(value) || text == "false" || text == "no" || count_at(value, "") == 0;
}

/// A number of JSON, or digits in a text.
std::optional<std::uint64_t> number_in(const json::value& value) {
    const auto number = count_at(value, "");
    return number ? number : parse_number<std::uint64_t>(text_at(value, ""));
}

bool is_bad_status(const json::value& value) {
    return finish_reason_of(text_at(value, "")) == FinishReason::failed ||
           number_in(value).value_or(0) >= 400;
}

/// The number or word of an error: none of success, and no status of HTTP that is none of an error.
bool is_bad_number(const json::value& value) {
    constexpr std::string_view good = "  ok success succeeded successful succeed null none ";
    const std::string text = lower_ascii(trim_blanks(text_at(value, "")));
    const auto number = number_in(value);
    const auto status = parse_number<std::uint64_t>(text.substr(0, text.find(' '))); // "200 OK"
    if (const auto code = number ? number : status)
        return *code != 0 && *code / 100 != 1 && *code / 100 != 2 && *code / 100 != 200;
    return value.is_number() ||
           (value.is_string() && good.find(" " + text + " ") == std::string_view::npos);
}

/// A member that shows a failure.
struct FailureForm {
    std::string_view name;
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
/// Where there is no answer; the names folded, between blanks.
constexpr auto failure_forms = std::to_array<FailureForm>({
    {" code errorcode errcode statuscode resultcode retcode ret httpstatus ", is_bad_number},
    {" status ", is_bad_status},
    {" ok success ", is_no},
    {" iserror haserror ", [](const json::value& value) { return true_at(value, ""); }},
    {" error err errors errormsg errmsg errormessage errorinfo detail fault exception __type ",
     has_content},
});

std::string folded(std::string_view name) {
    std::string text = lower_ascii(name);
    if (!name.starts_with("__")) std::erase_if(text, [](char c) { return c == '_' || c == '-'; });
    return text;
}

/// The members of an object that have those names, in their order; nullptr for others.
template <std::size_t n>
std::array<const json::value*, n> members_of(const json::value& value,
                                             const std::array<std::string_view, n>& names) {
    std::array<const json::value*, n> found{};
    const auto* const object = value.if_object();
    if (!object) return found;
    for (const auto& member : *object) {
        const auto* const name = std::ranges::find(names, folded(member.key()));
        const auto place = static_cast<std::size_t>(name - names.begin());
        if (place < n && !found[place]) found[place] = &member.value();
    }
    return found;
}

bool shows_failure(const json::value& outer, int depth = 0) {
    const auto& value = unwrapped(outer);
    const auto* const object = value.if_object();
    const auto shows = [](const auto& member) {
        const std::string name = " " + folded(member.key()) + " ";
        return std::ranges::any_of(failure_forms, [&](const FailureForm& form) {
            return form.name.find(name) != std::string_view::npos && form.tells(member.value());
        });
    };
    if (object && std::ranges::any_of(*object, shows)) return true;
    const auto inner = members_of(value, around);
    return depth < 2 && std::ranges::any_of(inner, [&](const json::value* each) {
               return each && each->is_object() && shows_failure(*each, depth + 1);
           });
}

void read_message(std::string_view text, ProviderError& provider_error) {
    provider_error.message = readable_words(cut_at_blank(text, max_message));
    provider_error.said = shown_words(text);
    if (!provider_error.retry_after)
        provider_error.retry_after =
            net::wait_in_words(provider_error.message, std::chrono::system_clock::now());
}

/// Reads the message of an error in plain text. A body that is no text has no message.
void read_plain(std::string_view text, ProviderError& provider_error) {
    const bool is_text = is_utf8(text) && text.find('\0') == std::string_view::npos;
    if (is_text) read_message(text, provider_error);
}

/// Machine words and the status, also of objects inside. A provider's own numbers are words, too.
void read_words(const json::value& value, ProviderError& provider_error, int depth = 0) {
    const auto add = [&](std::string_view word) {
        if (!word.empty()) provider_error.words.push_back(readable_words(word));
    };
    for (const json::value* const inner : members_of(value, around))
        if (inner && depth < 3) read_words(unwrapped(*inner), provider_error, depth + 1);
    for (const json::value* const member : members_of(value, word_names)) {
        if (!member) continue;
        const auto number = number_in(*member);
        if (number && *number >= first_own_number) add(std::to_string(*number));
        if (!number) add(text_at(*member, ""));
        if (provider_error.status == 0 && number && *number >= 400 && *number < 600)
            provider_error.status = static_cast<int>(*number);
    }
    if (const auto word = text_at(value, "/error"); word.find(' ') == std::string_view::npos)
        add(word);
}

std::string message_of(const json::value& value, int depth = 0);

/// A text, those of a list, or the message of an error inside.
std::string text_in(const json::value& value, int depth) {
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

std::string with_name(std::string_view name, const std::string& fault) {
    return name.empty() || fault.empty() ? fault : std::string{name} + ": " + fault;
}

std::string message_of(const json::value& value, int depth) {
    if (const auto* const way = array_at(value, "/loc"); way && !way->empty() && depth < max_nested)
        return with_name(text_at(way->back(), ""), std::string{text_at(value, "/msg")});
    const auto texts = members_of(value, message_names);
    const auto* const error = find_value(value, "/error");
    if (auto message = error && error->is_object() ? text_in(*error, depth) : ""; !message.empty())
        return message;
    for (const json::value* const found : texts)
        if (auto message = found ? text_in(*found, depth) : ""; !message.empty()) return message;
    for (const json::value* const found : members_of(value, around))
        if (auto message = found && found->is_object() ? text_in(*found, depth) : "";
            !message.empty())
            return message;
    static const json::object none;
    for (const auto& [name, faults] : depth > 0 && value.is_object() ? value.get_object() : none)
        if (auto said = faults.is_array() ? text_in(faults, depth) : ""; !said.empty())
            return with_name(name, said);   // a validator's, by the names of inputs
    return std::string{text_at(value, "")}; // a bare string
}

/// Calls `visit` for each member, at any depth, with the object around it and its folded name. What
/// a validator repeats of the request is left out.
template <class Visit>
void visit_members(const json::value& value, const Visit& visit, int depth = 0) {
    if (depth > max_nested) return;
    const auto* const parts = value.if_array();
    for (std::size_t i = 0; parts && i < std::min(parts->size(), max_details); ++i)
        visit_members((*parts)[i], visit, depth + 1);
    if (!value.is_object()) return;
    for (const auto& [key, member] : value.get_object()) {
        const std::string name = folded(key);
        visit(value, name, member);
        if (name != "input" && name != "body") visit_members(member, visit, depth + 1);
    }
}

/// What may be anywhere: the inputs at fault, of which OpenAI names one and a validator each, what
/// is said of them, Google's reasons, and when to come back, where a retry counts before a reset.
void read_members(const json::value& value, ProviderError& error) {
    std::optional<std::chrono::seconds> reset;
    std::string names;
    std::string faults;
    const auto add = [](std::string& words, std::string_view word) {
        if (!word.empty() && words.size() < max_message) words.append(" ").append(word);
    };
    visit_members(value, [&](const json::value& row, const std::string& name, const auto& member) {
        const auto* const inputs = member.if_object();
        const bool is_by_input = std::ranges::find(by_parameter, name) != by_parameter.end();
        if (inputs && is_by_input)
            for (const auto& [input, fault] : *inputs)
                if (fault.is_array()) add(names, input);
        if (std::ranges::find(parameter_names, name) != parameter_names.end()) {
            add(names, text_in(member, 0));
            for (const auto& beside : row.get_object())
                if (beside.key() != "type") add(faults, text_at(beside.value(), ""));
        }
        const auto text = text_at(member, "");
        if (name == "reason" && text.find(' ') == std::string_view::npos && !text.empty())
            error.words.push_back(readable_words(text));
        auto& wait = name.find("reset") == std::string::npos ? error.retry_after : reset;
        const auto told = member.is_number() ? std::to_string(member.template to_number<double>())
                                             : readable_words(text);
        if (!wait) wait = net::parse_wait(name, told, std::chrono::system_clock::now());
    });
    if (!error.retry_after) error.retry_after = reset;
    error.parameter = readable_words(names);
    error.faults = readable_words(faults);
}

void read_json(const json::value& outer, ProviderError& provider_error) {
    const auto& value = unwrapped(outer);
    if (value.is_string()) return read_plain(text_at(value, ""), provider_error);
    read_words(value, provider_error);
    read_members(value, provider_error);
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
    shown.parameter += behind.parameter;
    shown.faults += behind.faults;
    if (!shown.retry_after) shown.retry_after = behind.retry_after;
    if (behind.message.empty()) return;
    shown.message = behind.message;
    shown.said = behind.said;
}

/// The first event of a stream that is an error, or its first one; else the text itself.
std::string first_event(std::string_view text) {
    net::EventStream events;
    events.feed(std::string{text} + "\n\n"); // the last one may have no blank line
    std::string first;
    while (const auto event = events.next()) {
        if (event->data.empty() || trim_blanks(event->data) == "[DONE]") continue;
        if (first.empty()) first = event->data;
        JsonMemory memory{max_error_bytes};
        const auto parsed = parse_json(event->data, &memory);
        if (parsed.value && (tells_failure(*parsed.value) || has_message(*parsed.value)))
            return std::string{event->data};
    }
    return first.empty() ? std::string{text} : first;
}

void read_body(std::string_view body, bool cut_off, ProviderError& provider_error) {
    const auto text = cut_at_blank(cut_off ? without_last_run(body) : body, max_error_bytes);
    if (text.starts_with('<') && text.find("</") != std::string_view::npos) // AWS, Alibaba Cloud
        return read_plain(trim_blanks(without_tags(text)), provider_error);
    JsonMemory memory{max_error_bytes};
    const bool is_json = text.starts_with('{') || text.starts_with('[');
    const std::string said = is_json ? std::string{text} : first_event(text);
    const auto parsed = parse_json(without_long_escapes(said), &memory);
    if (!parsed.value) return read_plain(said, provider_error);
    read_json(*parsed.value, provider_error);
    read_behind(unwrapped(*parsed.value), provider_error);
}

/// By what a page begins with: a text may begin with "<", too. Other markup is an error of the
/// API's own only where it refuses the request.
bool is_markup(const net::HttpHead& head, std::string_view body) {
    const auto start = lower_ascii(trim_blanks(body.substr(0, 64)));
    const bool is_refusal = head.status == 400 || head.status == 429;
    return head.content_type == "text/html" || (!is_refusal && start.starts_with("<?xml")) ||
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
    read_json(part, provider_error);
    read_behind(part, provider_error);
    return provider_error;
}

bool has_error(const json::value& value) { return has_content(value) && !value.is_bool(); }

bool is_provider_error(const json::value& outer) {
    const auto& value = unwrapped(outer);
    return std::ranges::any_of(error_forms, [&](const FailureForm& form) {
        const auto* const found = find_value(value, form.name);
        return found && form.tells(*found);
    });
}

bool tells_failure(const json::value& value) {
    return is_provider_error(value) || shows_failure(value);
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
