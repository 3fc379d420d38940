#include "adapters/chat_reader.hpp"

#include "adapters/failures.hpp"
#include "base/rules.hpp"
#include "base/text.hpp"

#include <boost/json/monotonic_resource.hpp>

#include <array>

namespace usershell::adapters {

namespace {

using Kind = UpstreamError::Kind;

constexpr std::size_t max_name = rules::model_id.max;

std::string model_name(const std::string& told, const std::string& asked) {
    const bool usable =
        !told.empty() && is_utf8(told) && !has_control(told) && count_code_points(told) <= max_name;
    return usable ? told : asked;
}

} // namespace

ChatReader::ChatReader(const Adapter& adapter, const Sink& sink, std::size_t text_limit,
                       const CallTexts& call)
    : adapter_{adapter},
      sink_{sink},
      text_limit_{text_limit},
      events_{[this](const ServerEvent& event) { take_event(event); }},
      answer_{call} {}

void ChatReader::take_head(const net::HttpHead& head) { head_ = head; }

bool ChatReader::take_body(std::string_view piece) {
    if (!is_success(head_.status)) {
        body_ += piece;
        return body_.size() <= max_error_bytes;
    }
    if (form_ == Form::events) {
        if (!events_.feed(piece)) too_large_ = true;
    } else {
        body_ += piece;
        if (form_ == Form::unknown) tell_form();
    }
    return !too_large_ && !garbled_ && !answer_.closed && !answer_.provider_error &&
           form_ != Form::foreign;
}

void ChatReader::tell_form() {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (byte_order_mark.starts_with(body_)) return;
    const auto start = body_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    const auto first = body_.find_first_not_of(" \t\r\n", start);
    if (first == std::string::npos) return;
    if (body_[first] == '{' || body_[first] == '[') {
        form_ = Form::whole;
        body_.erase(0, first);
    } else if (body_[first] == '<') {
        form_ = Form::foreign;
    } else {
        form_ = Form::events;
        if (!events_.feed(body_)) too_large_ = true;
        body_.clear();
    }
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
    std::array<unsigned char, 4096> room; // enough for a token's event, so that none is allocated
    json::monotonic_resource memory{room.data(), room.size()};
    if (const auto value = parse_json(event.data, &memory)) {
        adapter_.read_event(*value, answer_);
        take_text();
    } else {
        garbled_ = true;
    }
}

void ChatReader::take_whole() {
    if (const auto value = parse_json(body_)) {
        adapter_.read_whole(*value, answer_);
        take_text();
    } else {
        garbled_ = true;
    }
}

void ChatReader::take_text() {
    if (answer_.text.empty()) return;
    give_out(joiner_.join(answer_.text));
    answer_.text.clear();
}

void ChatReader::give_out(const std::string& text) {
    too_large_ = too_large_ || content_.size() + text.size() > text_limit_;
    if (text.empty() || too_large_) return;
    content_ += text;
    has_spoken_ = true;
    if (sink_) sink_(text);
}

void ChatReader::finish() {
    if (finished_) return;
    finished_ = true;
    if (!is_success(head_.status)) return;
    if (form_ == Form::whole) take_whole();
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
