#include "adapters/reading/relay_reader.hpp"

#include "adapters/reading/json.hpp"
#include "adapters/reading/json_scanner.hpp"
#include "adapters/transport.hpp"
#include "base/ascii.hpp"
#include "domain/rules.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

namespace usershell::adapters {

namespace {

constexpr std::size_t large_event = std::size_t{256} * 1024; ///< to read it is not the loop's work
constexpr std::size_t max_usage = std::size_t{4} * 1024;
constexpr std::size_t max_limit_value = 40;

/// Headers that report limits of use (OpenAI, "Rate limits"; Anthropic, "Rate limits").
constexpr auto limit_names = std::to_array<std::string_view>({
    "x-ratelimit-limit-requests",
    "x-ratelimit-limit-tokens",
    "x-ratelimit-remaining-requests",
    "x-ratelimit-remaining-tokens",
    "x-ratelimit-reset-requests",
    "x-ratelimit-reset-tokens",
    "anthropic-ratelimit-requests-limit",
    "anthropic-ratelimit-requests-remaining",
    "anthropic-ratelimit-requests-reset",
    "anthropic-ratelimit-tokens-limit",
    "anthropic-ratelimit-tokens-remaining",
    "anthropic-ratelimit-tokens-reset",
    "anthropic-ratelimit-input-tokens-limit",
    "anthropic-ratelimit-input-tokens-remaining",
    "anthropic-ratelimit-input-tokens-reset",
    "anthropic-ratelimit-output-tokens-limit",
    "anthropic-ratelimit-output-tokens-remaining",
    "anthropic-ratelimit-output-tokens-reset",
});

/// A number, a duration ("6m0.5s") or a time ("2026-11-25T01:02:03Z"): each digit group is short,
/// and no two letters that are none of these stand together. So no key is in it.
bool is_measure(std::string_view value) {
    constexpr std::string_view marks = "hmsdTZ.:+-";
    std::size_t digits = 0;
    std::size_t letters = 0;
    for (const char c : value) {
        digits = is_digit(c) ? digits + 1 : 0;
        letters = is_digit(c) ? 0 : letters + 1;
        if (digits > 12 || letters > 2) return false;
        if (!is_digit(c) && marks.find(c) == std::string_view::npos) return false;
    }
    return !value.empty() && value.size() <= max_limit_value && is_digit(value.front());
}

/// The parts of a document that count. Sources: OpenAI API reference, "Chat", "Completions",
/// "Embeddings", "Responses" (streaming events); Claude API reference, "Streaming messages".
class Document final : public JsonVisitor {
public:
    bool is_error = false;
    bool is_complete = false;
    std::string_view type{};
    std::string_view response{}; ///< of an event of Responses
    std::string_view usage{};

    bool enter(std::size_t depth, std::string_view name, char first) override {
        if (depth > 1) return false;
        top_ = name;
        if (name == "error") is_error = is_error || first == '{' || first == '"';
        return name == "message" || name == "response" || name == "choices";
    }

    void leave(std::size_t depth, std::string_view name, std::string_view value) override {
        const bool is_null = value == "null";
        if (name == "usage" && !is_null && depth <= 2 && top_ != "choices") usage = value;
        if (depth == 3 && top_ == "choices" && name == "finish_reason") is_complete |= !is_null;
        if (depth > 1) return;
        if (name == "type") type = value;
        if (name == "type" || name == "object") is_error = is_error || value == R"("error")";
        if (name == "error" && value == R"("")") is_error = false;
        if (name == "response") response = value;
    }

private:
    std::string_view top_{};
};

constexpr auto last_events = std::to_array<std::string_view>(
    {R"("message_stop")", R"("response.completed")", R"("response.incomplete")"});

void read_usage(std::string_view document, Usage& usage) {
    if (document.size() > max_usage) return;
    JsonMemory memory{max_usage};
    const auto parsed = parse_json(document, &memory);
    if (!parsed.value) return;
    const auto count = [&](std::string_view name, std::string_view other) {
        const auto found = count_at(*parsed.value, name);
        return found ? found : count_at(*parsed.value, other);
    };
    if (auto input = count("/prompt_tokens", "/input_tokens")) {
        // Anthropic counts tokens of a cache separately.
        for (const auto* const cached :
             {"/cache_read_input_tokens", "/cache_creation_input_tokens"})
            *input += count_at(*parsed.value, cached).value_or(0);
        usage.input = input;
    }
    if (const auto output = count("/completion_tokens", "/output_tokens")) usage.output = output;
    // Embeddings have no output.
    if (usage.input && !usage.output && count_at(*parsed.value, "/total_tokens") == usage.input)
        usage.output = 0;
}

} // namespace

RelayReader::RelayReader(RelaySink& sink, Usage& usage, CallMemory* memory)
    : sink_{sink},
      usage_{usage},
      events_{rules::max_relay_event, memory},
      memory_{memory} {}

bool RelayReader::is_json() const {
    return head_.content_type == "application/json" || head_.content_type.ends_with("+json");
}

bool RelayReader::take_body(std::string_view piece) {
    if (!is_success(head_.status)) {
        const auto part = piece.substr(0, max_error_bytes + 1 - kept_.size());
        return append_to(kept_, part, memory_) && kept_.size() <= max_error_bytes;
    }
    if (is_stream()) {
        take_large();
        events_.feed(piece);
        return take_events();
    }
    if (!is_json()) return false;
    const bool has_room = kept_.size() + piece.size() <= rules::max_relay_body;
    if (!has_room || !append_to(kept_, piece, memory_)) state_ = State::too_large;
    return state_ == State::open;
}

RelayLimits RelayReader::limits() const {
    RelayLimits limits;
    for (const std::string_view name : limit_names)
        if (const auto found = head_.fields.find(name);
            found != head_.fields.end() && is_measure(found->second))
            limits.emplace_back(name, found->second);
    return limits;
}

void RelayReader::begin() {
    if (has_begun_) return;
    has_begun_ = true;
    sink_.begin({.is_stream = is_stream(), .limits = limits()});
}

/// Up to a large one.
bool RelayReader::take_events() {
    while (state_ == State::open) {
        const auto event = events_.next();
        if (!event) break;
        if (event->raw.size() > large_event) {
            large_ = event;
            return true;
        }
        read_event(*event);
        give_on(*event);
    }
    if (events_.is_over() && state_ == State::open) state_ = State::too_large;
    return state_ == State::open;
}

Task<bool> RelayReader::work(BlockingPool& readers, CallBudget* budget) {
    while (large_) {
        const ServerEvent event = *std::exchange(large_, std::nullopt);
        co_await readers.enter();
        std::exception_ptr failure;
        try {
            const CallBudget::Step step{budget};
            read_event(event);
        } catch (...) {
            failure = std::current_exception();
        }
        co_await readers.leave(); // where the sink is
        if (failure) std::rethrow_exception(failure);
        const CallBudget::Step step{budget};
        give_on(event);
        take_events();
    }
    co_return state_ == State::open;
}

/// Where no threads do the work.
void RelayReader::take_large() {
    while (large_) {
        const ServerEvent event = *std::exchange(large_, std::nullopt);
        read_event(event);
        give_on(event);
        take_events();
    }
}

void RelayReader::read_event(const ServerEvent& event) {
    if (event.data == "[DONE]")
        is_complete_ = true;
    else if (!event.data.empty())
        read(event.data, event.name == "error");
}

void RelayReader::give_on(const ServerEvent& event) {
    if (state_ == State::failed) return;
    begin();
    sink_.write(event.raw);
}

/// The last event may have no blank line, and the last blank line no event.
void RelayReader::finish_events() {
    take_large();
    if (events_.finish()) take_events();
    take_large();
    if (has_begun_ && state_ == State::open) sink_.write(events_.rest());
}

void RelayReader::read(std::string_view text, bool is_error_event) {
    Document document;
    const bool is_whole = scan_json(text, rules::max_relay_depth, document);
    const bool has_failed = document.type == R"("response.failed")";
    if (is_error_event || (is_whole && (document.is_error || has_failed))) {
        failure_ = (has_failed ? document.response : text).substr(0, max_error_bytes);
        state_ = State::failed;
    }
    if (!is_whole) return;
    is_complete_ = is_complete_ || document.is_complete ||
                   std::ranges::find(last_events, document.type) != last_events.end();
    if (!document.usage.empty()) read_usage(document.usage, usage_);
}

std::optional<ProviderError> RelayReader::finish(const net::HttpResult& result) {
    if (is_error(head_.status)) sink_.take_limits(limits());
    if (is_error(head_.status)) return read_provider_error(head_, kept_, was_cut_off(result));
    if (is_success(head_.status) && state_ == State::open && !was_cut_off(result)) {
        if (is_stream()) finish_events();
        if (is_json()) read(kept_, false);
    }
    if (state_ != State::failed) return std::nullopt;
    sink_.take_limits(limits());
    const std::string_view text = failure_;
    JsonMemory memory{max_error_bytes};
    const auto parsed = parse_json(text, &memory);
    return parsed.value ? read_provider_error(*parsed.value) : read_provider_error(text);
}

void RelayReader::conclude(const net::HttpResult& result) {
    if (state_ == State::too_large) throw UpstreamError{Reason::too_large};
    if (is_stream() && is_complete_) return;
    throw_transport_failure(result);
    if (!is_success(head_.status) || (!is_stream() && !is_json()))
        throw UpstreamError{Reason::not_this_protocol};
    if (is_stream()) throw UpstreamError{Reason::cut_off};
    begin();
    sink_.write(std::move(kept_), std::move(memory_));
}

} // namespace usershell::adapters
