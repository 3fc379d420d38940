#include "adapters/reading/relay_reader.hpp"

#include "adapters/reading/answer_scan.hpp"
#include "adapters/reading/endings.hpp"
#include "adapters/reading/json.hpp"
#include "adapters/transport.hpp"
#include "base/ascii.hpp"
#include "domain/rules.hpp"

#include <array>
#include <exception>
#include <utility>

namespace usershell::adapters {

namespace {

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

/// Is what has no answer JSON of an error? A document with a message is one.
bool is_failure(std::string_view text, bool is_document) {
    JsonMemory memory{max_error_bytes};
    const auto parsed = parse_json(text.substr(0, max_error_bytes), &memory);
    return parsed.value &&
           (tells_failure(*parsed.value) || (is_document && has_message(*parsed.value)));
}

} // namespace

RelayReader::RelayReader(RelayRoute route, std::string_view key, RelaySink& sink, Usage& usage,
                         CallMemory* memory, std::span<const net::KeyHeader> own_headers)
    : route_{route},
      key_{key, own_headers},
      sink_{sink},
      usage_{usage},
      form_{route == RelayRoute::speech},
      events_{rules::max_relay_event, memory},
      memory_{memory} {}

bool RelayReader::take_body(std::string_view piece) {
    if (!is_success(head_.status)) {
        const auto part = piece.substr(0, max_error_bytes + 1 - kept_.size());
        return append_to(kept_, part, memory_) && kept_.size() <= max_error_bytes;
    }
    piece = form_.take(piece, head_.content_type);
    if (form_.is(Form::foreign)) return false;
    if (!is_stream()) return take_document(piece);
    take_large();
    events_.feed(piece);
    return take_events();
}

bool RelayReader::take_document(std::string_view piece) {
    const bool has_room = kept_.size() + piece.size() <= rules::max_relay_body;
    if (!has_room || !append_to(kept_, piece, memory_)) state_ = State::too_large;
    return state_ == State::open;
}

RelayLimits RelayReader::limits() const {
    RelayLimits limits;
    for (const std::string_view name : limit_names)
        if (const auto found = head_.fields.find(name);
            found != head_.fields.end() && is_measure(found->second) && !key_.is_in(found->second))
            limits.emplace_back(name, found->second);
    return limits;
}

void RelayReader::begin() {
    if (has_begun_) return;
    has_begun_ = true;
    sink_.begin({.is_stream = is_stream(), .sound_type = sound_type_, .limits = limits()});
}

/// Up to a large one.
bool RelayReader::take_events() {
    while (state_ == State::open) {
        const auto event = events_.next();
        if (!event) break;
        if (event->raw.size() > large_answer) {
            large_ = event;
            return true;
        }
        read_event(*event);
        give_on(*event);
    }
    if (events_.is_over() && state_ == State::open) state_ = State::too_large;
    return state_ == State::open;
}

Task<bool> RelayReader::work(PoolLane& readers, CallBudget* budget) {
    while (large_) {
        const net::ServerEvent event = *std::exchange(large_, std::nullopt);
        std::optional permit{co_await readers.enter()};
        std::exception_ptr failure;
        try {
            const CallBudget::Step step{budget};
            read_event(event);
        } catch (...) {
            failure = std::current_exception();
        }
        permit.reset();
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
        const net::ServerEvent event = *std::exchange(large_, std::nullopt);
        read_event(event);
        give_on(event);
        take_events();
    }
}

void RelayReader::read_event(const net::ServerEvent& event) {
    is_given_on_ = false;
    const bool is_error = names_failure(event.name);
    const bool is_done = trim_blanks(event.data) == "[DONE]";
    if (is_done && has_begun_) {
        is_given_on_ = true;
        take_hint();
        const bool has_choices = route_ == RelayRoute::chat || route_ == RelayRoute::completions;
        if (has_choices && state_ == State::open) state_ = State::closed;
    } else if (!is_done && (is_error || !event.data.empty())) { // else a comment
        read(event.data, is_error);
    }
    const bool goes_on = state_ == State::open || state_ == State::closed;
    if (goes_on && key_.is_in(event.raw)) state_ = State::has_key;
}

// Of an event only what is an answer goes on. A comment, which keeps the connection alive, goes on
// as an empty one: it may say what an error would.
void RelayReader::give_on(const net::ServerEvent& event) {
    if (state_ != State::open && state_ != State::closed) return;
    if (is_given_on_) {
        begin();
        sink_.write(event.raw);
        if (event.is_glued) sink_.write("\n");
    } else if (event.data.empty() && has_begun_) {
        sink_.write(":\n");
    }
}

/// The last event may have no blank line.
void RelayReader::finish_events() {
    take_large();
    if (events_.finish()) take_events();
    take_large();
}

void RelayReader::read(std::string_view text, bool is_error_event) {
    const auto part = is_stream() ? AnswerScan::Part::event : AnswerScan::Part::document;
    AnswerScan scan{route_, part, key_};
    const bool is_json = scan_json(text, rules::max_relay_depth, scan);
    const bool may_fail = !scan.is_own() || scan.is_empty();
    if (is_error_event || (is_json && scan.has_failed()) ||
        (may_fail && !has_last_word() && is_failure(text, !is_stream() || scan.is_empty()))) {
        fail(scan.failure_in(text));
    } else if (!is_json) {
        if (tells_error(text)) possible_failure_ = text.substr(0, max_error_bytes);
        if (!is_stream() || trim_blanks(text).starts_with('{')) state_ = State::broken;
    } else if (scan.has_key()) {
        state_ = State::has_key;
    } else {
        take_answer(scan);
        if (!is_given_on_ && possible_failure_.empty() && is_failure(text, true))
            possible_failure_ = text.substr(0, max_error_bytes);
    }
}

/// Text in its place is an error, or nothing that is known.
void RelayReader::read_sound() {
    sound_type_ = sound_type(head_.content_type, kept_);
    is_given_on_ = !sound_type_.empty();
    if (is_given_on_ || !is_failure(kept_, true)) return;
    fail(kept_);
}

void RelayReader::fail(std::string_view text) {
    failure_ = text.substr(0, max_error_bytes);
    state_ = State::failed;
}

void RelayReader::take_hint() {
    if (state_ == State::open && !choices_.have_ended() && !possible_failure_.empty())
        fail(possible_failure_);
}

void RelayReader::take_answer(const AnswerScan& scan) {
    is_given_on_ = scan.is_own();
    if (scan.is_own()) choices_.add(scan.choices());
    scan.read_usage(usage_);
    if (scan.is_last() && is_stream()) state_ = State::closed;
}

std::optional<ProviderError> RelayReader::finish(const net::HttpResult& result) {
    if (is_error(head_.status)) return read_provider_error(head_, kept_, was_cut_off(result));
    if (is_success(head_.status) && state_ == State::open && !was_cut_off(result)) {
        if (is_stream()) finish_events();
        if (is_stream()) take_hint();
        if (form_.is(Form::sound)) read_sound();
        if (form_.is(Form::whole)) read(kept_, false);
        if (state_ == State::open && !is_stream() && key_.is_in(kept_)) state_ = State::has_key;
    }
    if (state_ != State::failed) return std::nullopt;
    JsonMemory memory{max_error_bytes};
    const auto parsed = parse_json(failure_, &memory);
    return read_provider_error(parsed.value ? *parsed.value : json::value(failure_));
}

void RelayReader::conclude(const net::HttpResult& result) {
    if (state_ == State::too_large) throw UpstreamError{Reason::too_large};
    if (state_ == State::has_key)
        throw UpstreamError::with_sentence(
            Reason::not_this_protocol,
            "The provider’s answer had the key or a header of the call in it, so the call was "
            "ended."_en);
    if (has_last_word()) return;
    throw_transport_failure(result);
    if (!is_success(head_.status)) throw UpstreamError{Reason::not_this_protocol};
    const bool is_cut = state_ == State::broken || has_begun_ || events_.has_comments_only() ||
                        form_.is(Form::unknown);
    if (is_stream() || !is_given_on_)
        throw UpstreamError{is_cut ? Reason::cut_off : Reason::not_this_protocol};
    begin();
    sink_.write(std::move(kept_), std::move(memory_));
}

} // namespace usershell::adapters
