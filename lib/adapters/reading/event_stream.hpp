// An incremental reader of server-sent events, as WHATWG HTML 9.2.6 interprets them: lines end with
// LF, CR or CRLF, a BOM at the start and comments are passed over, several `data` lines are joined
// by LF. The bytes may be cut anywhere. `id` and `retry` mean nothing to a call and are ignored.
// Two departures from the standard: a field `error` is read as the data of an event of that name,
// as some servers write it; and finish() gives out a last event without its blank line, as some
// providers omit it (whether that event is complete shows when its JSON is parsed).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace usershell::adapters {

/// Views into the reader's buffers, good until the sink returns.
struct ServerEvent {
    std::string_view name; ///< of its `event` field; empty when there was none
    std::string_view data;
};

class EventStream {
public:
    using Sink = std::function<void(const ServerEvent&)>;

    /// `limit`: bytes of one line, and of one event's data.
    explicit EventStream(Sink sink, std::size_t limit = std::size_t{1024} * 1024)
        : sink_{std::move(sink)},
          limit_{limit} {}

    /// False when a line or an event has grown beyond the limit; nothing more is read then.
    bool feed(std::string_view bytes);
    /// The bytes have come to their end.
    void finish();
    /// Has the stream had comments, but no event?
    bool has_comments_only() const { return seen_ == Seen::comments; }

private:
    enum class Seen { nothing, comments, events };

    void take_line();
    void take_field(std::string_view name, std::string_view value);
    void dispatch();

    Sink sink_;
    std::size_t limit_;
    std::string line_;
    std::string name_;
    std::string data_;
    Seen seen_ = Seen::nothing;
    bool has_data_ = false;
    bool at_start_ = true;
    bool after_cr_ = false;
    bool overflowed_ = false;
};

} // namespace usershell::adapters
