// Reads one answer to one chat request as it arrives, whatever form it takes: a stream where a
// whole answer was asked for, a whole one where a stream was, an error with either. For calls.cpp;
// one thread.
#pragma once

#include "adapters/adapter.hpp"
#include "adapters/reading/answer_form.hpp"
#include "adapters/reading/token_joiner.hpp"
#include "net/event_stream.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace usershell::adapters {

class ChatReader {
public:
    /// All that is given outlives it. `limit`: bytes of the answer's text, and of a whole answer
    /// with all that is around it. `memory`: of what it keeps; nullptr: none is reserved.
    ChatReader(const Adapter& adapter, const ChatRequest& request, const ChatSinks& sinks,
               std::size_t limit, CallMemory* memory = nullptr);
    ChatReader(const ChatReader&) = delete;
    ChatReader& operator=(const ChatReader&) = delete;

    void take_head(const net::HttpHead& head) { head_ = head; }
    /// False when nothing more need be read.
    bool take_body(std::string_view piece);

    /// Has a stream said why it ended? Only its usage may follow then.
    bool has_last_word() const { return answer_.finish_reason != FinishReason::none; }

    /// Bytes kept of an answer that is not streamed, to be parsed after its end.
    std::size_t kept() const { return body_.size(); }
    /// After the call, on any thread: parses an answer that was not streamed. If it is not called,
    /// has_failed() does so.
    void parse_whole();
    /// After the call: whether the provider answered with an error, at once or in the middle of an
    /// answer. The rest of the text goes to the sinks.
    bool has_failed();
    /// When has_failed(): that error.
    ProviderError provider_error(const net::HttpResult& result) const;
    /// When not has_failed(): the reply. Throws UpstreamError when what came is not a complete
    /// answer.
    ChatReply conclude(const net::HttpResult& result);

    /// Has anything gone to a sink?
    bool has_begun() const { return given_ > 0; }

private:
    using Form = AnswerForm::Form;
    enum class State { reading, malformed, too_large };
    enum class Stage { open, parsed, finished };

    void take_part(std::string_view piece);
    void take_events();
    void take_event(const net::ServerEvent& event);
    void read_json(std::string_view text, std::size_t max_size, bool is_error);
    std::string_view small(std::string_view event);
    void drop_excess(std::string_view text);
    bool goes_on() const;
    void take_text();
    /// Bounded, to one of the sinks.
    void give(const std::string& text, const std::function<void(std::string_view)>& sink);
    void give_text(const std::string& text);
    void finish();
    FinishReason finish_reason() const;
    /// The error for an answer without text.
    UpstreamError textless() const;

    const Adapter& adapter_;
    const ChatRequest& request_;
    const ChatSinks& sinks_;
    const std::size_t limit_;
    net::HttpHead head_;
    AnswerForm form_;
    std::string body_; ///< an error or a whole answer
    CallMemory::Part body_part_;
    net::EventStream events_;
    std::string without_files_; ///< a large event
    CallMemory::Part without_files_part_;
    TokenJoiner joiner_;
    TokenJoiner reasoning_joiner_;
    Answer answer_;
    std::string content_; ///< where no sink takes it
    CallMemory::Part content_part_;
    bool has_text_ = false;
    std::size_t given_ = 0; ///< bytes of text and reasoning
    State state_ = State::reading;
    Stage stage_ = Stage::open;
};

} // namespace usershell::adapters
