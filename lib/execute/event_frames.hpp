// The server-sent events that our answers stream: one JSON object an event, a comment to keep the
// connection alive while there is none. Writes to a Stream; on the loop.
#pragma once

#include "web/message.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <string_view>

namespace usershell::execute {

class EventFrames {
public:
    using Clock = std::chrono::steady_clock;

    /// `patience`: see keep_alive().
    explicit EventFrames(web::Stream& stream, Clock::duration patience = std::chrono::seconds{10})
        : stream_{stream},
          patience_{patience} {}

    /// The head has gone out to the caller: what goes wrong now can only be a frame.
    bool begun() const { return begun_; }
    /// A frame has gone out.
    bool has_sent() const { return has_sent_; }

    /// `data: {…}`; sends status and headers before the first. False when the caller has gone.
    bool send(const boost::json::object& frame);

    /// `data: {"member":"text"}`, of a token: the same without a document in between. `member` is a
    /// name of our own, which needs no escapes.
    bool send_text(std::string_view member, std::string_view text);

    /// A comment that keeps proxies from giving up, when nothing has gone out for as long as the
    /// patience; before the first frame the head with it. So a failure that comes soon can still be
    /// a plain JSON error. To be called more often than the patience.
    void keep_alive();

private:
    bool write(std::string_view bytes);

    web::Stream& stream_;
    Clock::duration patience_;
    Clock::time_point last_ = Clock::now();
    bool begun_ = false;
    bool has_sent_ = false;
};

/// The answer of a handler whose stream has been sent.
web::Response streamed_response();

} // namespace usershell::execute
