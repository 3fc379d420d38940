// An incremental reader of server-sent events, as WHATWG HTML 9.2.6 interprets them: lines end with
// LF, CR or CRLF, a BOM at the start and comments are passed over, several `data` lines are joined
// by LF. The bytes may be cut anywhere. `id` and `retry` mean nothing to a call and are ignored.
// Departures from the standard, as some servers write: a field `error` is the data of an event of
// that name; a line of JSON alone is data; an object right behind another begins an event; finish()
// gives out a last event without its blank line, as some
// providers omit it (whether that event is complete shows when its JSON is parsed).
//
//   bool goes_on = stream.feed(bytes);
//   while (const auto event = stream.next()) …
//
// An event is kept once, as it came, in memory that is reserved for the call.
#pragma once

#include "runtime/call_memory.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::net {

/// Views into the reader's buffers, good until next() or feed() is called.
struct ServerEvent {
    std::string_view name; ///< of its `event` field; empty when there was none
    std::string_view data; ///< empty: it is none to WHATWG, but a comment, for example
    std::string_view raw;  ///< as it came, its blank line and those before it included
    bool is_glued = false; ///< it has no blank line: the next one begins behind it
};

class EventStream {
public:
    /// `limit`: bytes of an event, as it comes. `memory` outlives it; nullptr: none is reserved.
    explicit EventStream(std::size_t limit = std::size_t{1024} * 1024, CallMemory* memory = nullptr)
        : limit_{limit},
          kept_part_{memory},
          joined_part_{memory} {}

    /// After next() has given all. False when there is no memory, or an event has grown beyond the
    /// limit; nothing more is read then.
    bool feed(std::string_view bytes);
    /// The next event that is complete, also one without data. Null: there is none yet.
    std::optional<ServerEvent> next();
    /// The bytes have come to their end: completes the last event, if there is one.
    bool finish() { return is_between() ? !is_over_ : feed("\n\n"); }

    /// The bytes that belong to no event yet.
    std::string_view rest() const { return std::string_view{kept_}.substr(begin_); }
    bool is_over() const { return is_over_; }
    /// Has the stream had comments, but no event?
    bool has_comments_only() const { return has_comments_ && !has_events_; }

private:
    bool is_between() const { return !has_fields_ && line_ == kept_.size(); }
    std::optional<std::string_view> next_line();
    bool begins_event(std::string_view line);
    ServerEvent read_event(std::string_view raw);
    bool take_data(std::string_view value, int number, ServerEvent& event);
    void drop_event();
    void drop_read();

    std::size_t limit_;
    CallMemory::Part kept_part_;
    CallMemory::Part joined_part_;
    std::string kept_;
    std::size_t begin_ = 0;       ///< in `kept_`, of the event that is read
    std::size_t line_ = 0;        ///< of its last line
    std::size_t read_ = 0;        ///< up to here, no line's end is overlooked
    std::size_t given_ = 0;       ///< bytes of the event that next() has given last
    std::string joined_;          ///< several lines of data
    bool has_fields_ = false;     ///< the event has a line that is not blank
    bool follows_object_ = false; ///< the last line of data has ended with a brace
    bool at_start_ = true;
    bool has_comments_ = false;
    bool has_events_ = false;
    bool is_over_ = false;
};

} // namespace usershell::net
