#include "adapters/chat_reader.hpp"

#include "adapters/failures.hpp"
#include "adapters/reading/json_memory.hpp"
#include "base/rules.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace usershell::adapters {

namespace {

using Kind = UpstreamError::Kind;

constexpr std::size_t max_name = rules::model_id.max;
constexpr std::size_t max_blanks = std::size_t{64} * 1024;  // before an answer
constexpr std::size_t max_event = std::size_t{1024} * 1024; // bytes of one event's data

std::string model_name(const std::string& told, const std::string& asked) {
    const bool usable =
        !told.empty() && is_utf8(told) && !has_control(told) && count_code_points(told) <= max_name;
    return usable ? told : asked;
}

} // namespace

ChatReader::Form ChatReader::form_of(char first) {
    if (first == '{' || first == '[') return Form::whole;
    return first == '<' ? Form::foreign : Form::events;
}

ChatReader::ChatReader(const Adapter& adapter, const Sink& sink, std::size_t limit,
                       const CallTexts& call)
    : adapter_{adapter},
      sink_{sink},
      limit_{limit},
      events_{[this](const ServerEvent& event) { take_event(event); }, max_event},
      answer_{call} {}

void ChatReader::take_head(const net::HttpHead& head) { head_ = head; }

bool ChatReader::take_body(std::string_view piece) {
    if (!is_success(head_.status)) {
        body_ += piece;
        return body_.size() <= max_error_bytes;
    }
    if (form_ == Form::unknown) piece = tell_form(piece);
    if (form_ == Form::events)
        too_large_ = !events_.feed(piece) || too_large_;
    else if (form_ == Form::whole)
        take_part(piece);
    return !too_large_ && !garbled_ && !answer_.closed && !answer_.provider_error &&
           form_ != Form::foreign;
}

// White space before an answer is dropped as it comes and only counted: some providers send it for
// minutes to keep a connection alive.
std::string_view ChatReader::tell_form(std::string_view piece) {
    constexpr std::string_view passed_over = " \t\r\n\xef\xbb\xbf"; // and a byte order mark
    const auto first = std::min(piece.find_first_not_of(passed_over), piece.size());
    blanks_ += first;
    piece.remove_prefix(first);
    if (blanks_ > max_blanks)
        form_ = Form::foreign;
    else if (!piece.empty())
        form_ = form_of(piece.front());
    return piece;
}

void ChatReader::take_part(std::string_view piece) {
    too_large_ = body_.size() + piece.size() > limit_;
    if (!too_large_) body_ += piece;
}

void ChatReader::take_event(const ServerEvent& event) {
    if (answer_.closed || answer_.provider_error || garbled_ || too_large_) return;
    if (event.data == "[DONE]") {
        answer_.closed = true;
        if (answer_.recognised && answer_.finish_reason == FinishReason::none)
            answer_.finish_reason = FinishReason::stop;
        return;
    }
    if (!event.data.starts_with('{')) return; // "ping" and the like
    take_json(event.data, max_event, &Adapter::read_event);
}

void ChatReader::take_json(std::string_view text, std::size_t max_size,
                           void (Adapter::*read)(const json::value&, Answer&) const) {
    JsonMemory memory{json_memory * max_size};
    const auto parsed = parse_json(text, &memory);
    too_large_ = too_large_ || parsed.too_large;
    garbled_ = !parsed.value;
    if (!parsed.value) return;
    (adapter_.*read)(*parsed.value, answer_);
    take_text();
}

void ChatReader::take_text() {
    if (answer_.text.empty()) return;
    give_out(joiner_.join(answer_.text));
    answer_.text.clear();
}

void ChatReader::give_out(const std::string& text) {
    too_large_ = too_large_ || content_.size() + text.size() > limit_;
    if (text.empty() || too_large_) return;
    content_ += text;
    has_spoken_ = true;
    if (sink_) sink_(text);
}

void ChatReader::finish() {
    if (finished_) return;
    finished_ = true;
    if (!is_success(head_.status)) return;
    if (form_ == Form::whole && !too_large_) take_json(body_, limit_, &Adapter::read_whole);
    if (form_ == Form::events) events_.finish();
    give_out(joiner_.flush());
}

std::optional<ProviderError> ChatReader::provider_error(const net::HttpResult& result) {
    finish();
    if (is_error(head_.status))
        return read_provider_error(head_, body_, was_cut_off(result), answer_.call);
    return answer_.provider_error;
}

ChatReply ChatReader::conclude(const net::HttpResult& result, const ChatRequest& request) {
    finish();
    if (too_large_) throw UpstreamError{Kind::too_large};
    if (answer_.finish_reason == FinishReason::filter) throw UpstreamError{Kind::refused_by_policy};
    const bool may_lack_an_end = request.check && !content_.empty();
    if (answer_.finish_reason == FinishReason::none && !may_lack_an_end) {
        throw_failure(result);
        throw UpstreamError{answer_.recognised && !garbled_ ? Kind::cut_off
                                                            : Kind::not_the_protocol};
    }
    if (answer_.finish_reason == FinishReason::length && content_.empty() && !request.check)
        throw UpstreamError::with_sentence(Kind::cut_off,
                                           "The model used all the tokens it was allowed before it "
                                           "wrote any text. Allow more tokens.");
    return {std::move(content_), model_name(answer_.model, request.model)};
}

} // namespace usershell::adapters
