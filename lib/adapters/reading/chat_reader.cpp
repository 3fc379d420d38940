#include "adapters/reading/chat_reader.hpp"

#include "adapters/reading/endings.hpp"
#include "adapters/transport.hpp"
#include "base/ascii.hpp"
#include "base/text.hpp"
#include "domain/rules.hpp"

namespace usershell::adapters {

namespace {

// How it works. The first character decides the form of an answer (answer_form.hpp): a whole one is
// parsed at its end, a web page is not read. An answer takes this way: pieces of bytes → events →
// JSON, which the protocol's adapter adds to `answer_` → text, of which whole characters go to the
// sink. An end of the reading (an error in the answer, malformed JSON, a limit, the protocol's last
// word) is only noted, and take_body() returns false. conclude() decides its meaning after the
// call, because the connection's end counts too.

constexpr std::size_t max_name = rules::model_id.max;
constexpr std::size_t max_model_bytes = 4 * max_name;
constexpr std::size_t max_finish_word = 40;
constexpr std::size_t max_event = std::size_t{1024} * 1024; ///< without files

std::string model_name(const std::string& told, const std::string& asked) {
    const bool usable =
        !told.empty() && is_utf8(told) && !has_control(told) && count_code_points(told) <= max_name;
    return usable ? told : asked;
}

} // namespace

ChatReader::ChatReader(const Adapter& adapter, const ChatRequest& request, const ChatSinks& sinks,
                       std::size_t limit, CallMemory* memory)
    : adapter_{adapter},
      request_{request},
      sinks_{sinks},
      limit_{limit},
      body_part_{memory},
      events_{rules::max_relay_event, memory},
      without_files_part_{memory},
      answer_{sinks.reasoning != nullptr},
      content_part_{memory} {}

bool ChatReader::take_body(std::string_view piece) {
    if (!is_success(head_.status)) {
        const auto part = piece.substr(0, max_error_bytes + 1 - body_.size());
        return append_to(body_, part, body_part_) && body_.size() <= max_error_bytes;
    }
    piece = form_.take(piece);
    if (form_.is(Form::events)) {
        events_.feed(piece);
        take_events();
    }
    if (form_.is(Form::whole)) take_part(piece);
    return goes_on() && !form_.is(Form::foreign);
}

bool ChatReader::goes_on() const {
    return state_ == State::reading && !answer_.closed && !answer_.failure;
}

void ChatReader::take_part(std::string_view piece) {
    const bool has_room = body_.size() + piece.size() <= limit_;
    if (!has_room || !append_to(body_, piece, body_part_)) state_ = State::too_large;
}

void ChatReader::take_events() {
    while (const auto event = events_.next())
        if (!event->data.empty() || names_failure(event->name)) take_event(*event);
    if (events_.is_over()) state_ = State::too_large;
}

void ChatReader::take_event(const net::ServerEvent& event) {
    if (!goes_on()) return;
    const auto data = trim_blanks(event.data);
    if (data == "[DONE]") {
        answer_.closed = true;
        answer_.complete();
        return;
    }
    const bool is_error = names_failure(event.name);
    const auto text = small(data);
    if (state_ != State::reading) return;
    if (text.starts_with('{') || text.starts_with("[{"))
        read_json(text, max_event, is_error);
    else if (is_error)
        answer_.fail(json::string{text});
    else if (tells_error(text)) // anything else is "ping" and the like
        answer_.hint(json::string{text});
    take_text();
}

/// A large event has a picture mostly. It is not shown, so no memory is taken for it again.
std::string_view ChatReader::small(std::string_view event) {
    if (event.size() <= max_event) return event;
    without_files_.clear();
    if (!append_without_files(without_files_, event, without_files_part_))
        state_ = State::too_large;
    return without_files_;
}

void ChatReader::read_json(std::string_view text, std::size_t max_size, bool is_error) {
    JsonMemory memory{max_size};
    const auto parsed = parse_json(text, &memory);
    if (parsed.value && is_error)
        answer_.fail(*parsed.value);
    else if (parsed.value)
        adapter_.read(*parsed.value, answer_, form_.is(Form::whole));
    else if (parsed.too_large)
        state_ = State::too_large;
    else if (answer_.recognised || form_.is(Form::whole)) // else it may be no part of the answer
        state_ = State::malformed;
    drop_excess(text);
}

/// A provider does not choose how much is kept until the end.
void ChatReader::drop_excess(std::string_view text) {
    if (answer_.model.size() > max_model_bytes) std::string{}.swap(answer_.model);
    if (text.size() <= max_error_bytes) return;
    answer_.possible_failure.reset();
    if (answer_.failure) answer_.fail(json::string{text.substr(0, max_error_bytes)});
}

void ChatReader::take_text() {
    if (sinks_.reasoning && !answer_.reasoning.empty())
        give(reasoning_joiner_.join(answer_.reasoning), sinks_.reasoning);
    if (!answer_.text.empty()) give_text(joiner_.join(answer_.text));
    for (std::string* const taken : {&answer_.reasoning, &answer_.text}) {
        taken->clear();
        CallMemory::Part of_this_step;
        give_back_room(*taken, of_this_step);
    }
}

void ChatReader::give_text(const std::string& text) {
    give(text, sinks_.text);
    has_text_ = has_text_ || !text.empty();
    if (sinks_.text || state_ == State::too_large) return;
    if (!append_to(content_, text, content_part_)) state_ = State::too_large;
}

void ChatReader::give(const std::string& text, const std::function<void(std::string_view)>& sink) {
    if (text.size() > limit_ - given_) state_ = State::too_large;
    if (text.empty() || state_ == State::too_large) return;
    given_ += text.size();
    if (sink) sink(text);
}

void ChatReader::parse_whole() {
    if (stage_ != Stage::open) return;
    stage_ = Stage::parsed;
    if (is_success(head_.status) && form_.is(Form::whole) && state_ == State::reading)
        read_json(body_, limit_, false);
}

void ChatReader::finish() {
    if (stage_ == Stage::finished) return;
    parse_whole();
    stage_ = Stage::finished;
    if (!is_success(head_.status)) return;
    take_text();
    if (form_.is(Form::events) && events_.finish()) take_events();
    answer_.take_hint();
    if (sinks_.reasoning) give(reasoning_joiner_.flush(), sinks_.reasoning);
    give_text(joiner_.flush());
}

FinishReason ChatReader::finish_reason() const {
    const bool asks = answer_.asks_for_tool && answer_.finish_reason == FinishReason::stop;
    return asks ? FinishReason::tool : answer_.finish_reason;
}

UpstreamError ChatReader::textless() const {
    switch (finish_reason()) {
    case FinishReason::filter:
        return UpstreamError{Reason::policy};
    case FinishReason::length:
        return UpstreamError::with_sentence(Reason::empty,
                                            "The model used all the tokens it was allowed before "
                                            "it wrote any text. Allow more tokens."_en);
    case FinishReason::tool:
        return UpstreamError::with_sentence(
            Reason::empty, "The model asked for a tool in place of answering with text."_en);
    default:
        return UpstreamError{Reason::empty};
    }
}

bool ChatReader::has_failed() {
    finish();
    return is_error(head_.status) || answer_.failure;
}

ProviderError ChatReader::provider_error(const net::HttpResult& result) const {
    if (is_error(head_.status)) return read_provider_error(head_, body_, was_cut_off(result));
    return read_provider_error(answer_.failure.value());
}

ChatReply ChatReader::conclude(const net::HttpResult& result) {
    finish();
    if (state_ == State::too_large) throw UpstreamError{Reason::too_large};
    if (answer_.finish_reason == FinishReason::none) {
        throw_transport_failure(result);
        const bool is_cut = answer_.recognised || events_.has_comments_only() ||
                            form_.is(Form::unknown) ||
                            (form_.is(Form::whole) && state_ == State::malformed);
        throw UpstreamError{is_cut ? Reason::cut_off : Reason::not_this_protocol};
    }
    const bool reached = request_.check && finish_reason() == FinishReason::length;
    if (!has_text_ && !reached) throw textless();
    return {std::move(content_), model_name(answer_.model, request_.model), finish_reason(),
            shorten(printable(answer_.finish_word), max_finish_word), answer_.usage};
}

} // namespace usershell::adapters
