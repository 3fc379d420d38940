// Reads beside a relay: holds each event of a stream, or a whole document, until it is complete and
// no error, then gives it on as it came. One object an answer; one thread at a time.
#pragma once

#include "adapters/errors/provider_error.hpp"
#include "adapters/reading/event_stream.hpp"
#include "adapters/relay.hpp"
#include "net/http_client.hpp"
#include "runtime/blocking_pool.hpp"
#include "runtime/call_budget.hpp"
#include "runtime/call_memory.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace usershell::adapters {

class RelayReader {
public:
    /// `memory`: of what it keeps; nullptr: none is reserved. All outlive it.
    RelayReader(RelaySink& sink, Usage& usage, CallMemory* memory = nullptr);
    RelayReader(const RelayReader&) = delete;
    RelayReader& operator=(const RelayReader&) = delete;

    void take_head(const net::HttpHead& head) { head_ = head; }
    /// False when nothing more need be read.
    bool take_body(std::string_view piece);
    /// Does an event wait for work(), because to read it takes milliseconds?
    bool has_work() const { return large_.has_value(); }
    /// Reads it on a thread of `readers`, and then the events after it. As take_body(); ends on the
    /// loop.
    Task<bool> work(BlockingPool& readers, CallBudget* budget);
    /// Has anything gone to the sink?
    bool has_begun() const { return has_begun_; }

    /// After the call: the provider's error, at once or in the middle of a stream; null: none.
    std::optional<ProviderError> finish(const net::HttpResult& result);
    /// When finish() has found no error: gives on a document. Throws UpstreamError when the answer
    /// is not complete, or in another form.
    void conclude(const net::HttpResult& result);

private:
    enum class State { open, failed, too_large };

    bool is_stream() const { return head_.content_type == "text/event-stream"; }
    bool is_json() const;
    RelayLimits limits() const;
    void begin();
    bool take_events();
    void take_large();
    void read_event(const ServerEvent& event);
    void give_on(const ServerEvent& event);
    void finish_events();
    /// Reads of a document: its end, its tokens, whether it is an error.
    void read(std::string_view document, bool is_error_event);

    RelaySink& sink_;
    Usage& usage_;
    net::HttpHead head_;
    EventStream events_;
    std::optional<ServerEvent> large_; ///< of `events_`, not read yet
    CallMemory::Part memory_;          ///< of `kept_`
    std::string kept_;                 ///< of a document or an error
    std::string failure_;              ///< the beginning of a document that is an error
    State state_ = State::open;
    bool has_begun_ = false;
    bool is_complete_ = false;
};

} // namespace usershell::adapters
