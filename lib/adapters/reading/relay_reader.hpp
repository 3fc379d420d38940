// Reads beside a relay: holds each event of a stream, or a whole document, until it is complete and
// an answer of its route (answer_scan.hpp), then gives it on as it came. Nothing else goes on: an
// error in whatever form ends the call, as does a secret of it (key_search.hpp); an event that is
// neither answer nor error is left out. Speech may be sound instead (answer_form.hpp). One object
// an answer; one thread at a time.
#pragma once

#include "adapters/errors/provider_error.hpp"
#include "adapters/reading/answer_form.hpp"
#include "adapters/reading/answer_scan.hpp"
#include "adapters/relay.hpp"
#include "net/event_stream.hpp"
#include "net/http_client.hpp"
#include "net/key_search.hpp"
#include "runtime/blocking_pool.hpp"
#include "runtime/call_memory.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace usershell::adapters {

class RelayReader {
public:
    /// `key`, `own_headers`: of the call. `memory`: of what it keeps; nullptr: none is reserved.
    /// All outlive it.
    RelayReader(RelayRoute route, std::string_view key, RelaySink& sink, Usage& usage,
                CallMemory* memory = nullptr, std::span<const net::KeyHeader> own_headers = {});
    RelayReader(const RelayReader&) = delete;
    RelayReader& operator=(const RelayReader&) = delete;

    void take_head(const net::HttpHead& head) { head_ = head; }
    /// False when nothing more need be read.
    bool take_body(std::string_view piece);
    /// Does an event wait for work(), because to read it takes milliseconds?
    bool has_work() const { return large_.has_value(); }
    /// Reads it on a thread of `readers`, and then the events after it. As take_body(); ends on the
    /// loop.
    Task<bool> work(PoolLane& readers, CallBudget* budget);
    /// Has anything gone to the sink?
    bool has_begun() const { return has_begun_; }
    /// The limits in the head.
    RelayLimits limits() const;
    /// Has a stream said why it ended? Only its usage may follow then.
    bool has_last_word() const {
        return is_stream() && has_begun_ && (state_ == State::closed || choices_.have_ended());
    }

    /// Bytes kept of a document, which finish() reads.
    std::size_t kept() const { return kept_.size(); }
    /// After the call: the provider's error, at once or in the middle of a stream; null: none. Of a
    /// document on any thread, of a stream on the loop.
    std::optional<ProviderError> finish(const net::HttpResult& result);
    /// When finish() has found no error: gives on a document. Throws UpstreamError when the answer
    /// is not complete, or in another form.
    void conclude(const net::HttpResult& result);

private:
    using Form = AnswerForm::Form;
    enum class State { open, closed, failed, broken, has_key, too_large };

    bool is_stream() const { return form_.is(Form::events); }
    void begin();
    bool take_events();
    bool take_document(std::string_view piece);
    void read_sound();
    void take_large();
    void read_event(const net::ServerEvent& event);
    void give_on(const net::ServerEvent& event);
    void finish_events();
    /// Reads of a document or an event: what it is, its end, its tokens.
    void read(std::string_view text, bool is_error_event);
    void take_answer(const AnswerScan& scan);
    void fail(std::string_view text);
    /// Of a stream that gives no reason for its end.
    void take_hint();

    const RelayRoute route_;
    net::KeySearch key_;
    RelaySink& sink_;
    Usage& usage_;
    net::HttpHead head_;
    AnswerForm form_;
    net::EventStream events_;
    Choices choices_;
    std::optional<net::ServerEvent> large_; ///< of `events_`, not read yet
    CallMemory::Part memory_;               ///< of `kept_`
    std::string kept_;                      ///< of a document or an error
    std::string failure_;                   ///< the beginning of a document that is an error
    std::string possible_failure_;          ///< text where none of an answer is
    State state_ = State::open;
    std::string_view sound_type_{};
    bool has_begun_ = false;
    bool is_given_on_ = false; ///< what was read last, an answer
};

} // namespace usershell::adapters
