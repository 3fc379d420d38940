// Reading one answer to one chat request as it arrives, whatever form it takes: a stream where a
// whole answer was asked for, a whole one where a stream was, an error with either. The form is
// told by the first character, as providers' content types are not to be relied on. For calls.cpp;
// one thread.
#pragma once

#include "adapters/adapter.hpp"
#include "adapters/event_stream.hpp"
#include "adapters/token_joiner.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::adapters {

class ChatReader {
public:
    using Sink = std::function<void(std::string_view)>;

    /// `sink` may be empty. `limit`: bytes of the answer's text, and of a whole answer with all
    /// that is around it. `call` outlives it.
    ChatReader(const Adapter& adapter, const Sink& sink, std::size_t limit, const CallTexts& call);
    ChatReader(const ChatReader&) = delete;
    ChatReader& operator=(const ChatReader&) = delete;

    void take_head(const net::HttpHead& head);
    /// False: enough has been read.
    bool take_body(std::string_view piece);

    /// After the call: what the provider refused or broke off with, if it said anything of the
    /// kind.
    std::optional<ProviderError> provider_error(const net::HttpResult& result);
    /// After the call, when there is no complaint: the reply. Throws UpstreamError when it isn't
    /// one.
    ChatReply conclude(const net::HttpResult& result, const ChatRequest& request);

    /// Has a token been given out?
    bool has_spoken() const { return has_spoken_; }

private:
    enum class Form { unknown, events, whole, foreign };

    static Form form_of(char first);
    /// What is left of the piece when white space before the answer is taken away.
    std::string_view tell_form(std::string_view piece);
    void take_part(std::string_view piece);
    void take_event(const ServerEvent& event);
    void take_json(std::string_view text, std::size_t max_size,
                   void (Adapter::*read)(const json::value&, Answer&) const);
    void take_text();
    void give_out(const std::string& text);
    void finish();

    const Adapter& adapter_;
    const Sink& sink_;
    std::size_t limit_;
    net::HttpHead head_;
    Form form_ = Form::unknown;
    std::size_t blanks_ = 0; ///< dropped so far
    std::string body_;       ///< an error or a whole answer
    EventStream events_;
    TokenJoiner joiner_;
    Answer answer_;
    std::string content_;
    bool has_spoken_ = false;
    bool garbled_ = false;
    bool too_large_ = false;
    bool finished_ = false;
};

} // namespace usershell::adapters
