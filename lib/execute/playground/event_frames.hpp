// The event streams that we send: one JSON object a frame, a comment while nothing happens.
// Wraps a Stream; used by one thread.
#pragma once

#include "web/message.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <string>

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

    /// A comment that keeps proxies from giving up, when nothing has gone out for as long as the
    /// patience; before the first frame the head with it. So a failure that comes soon can still be
    /// a plain JSON error. To be called more often than the patience.
    void keep_alive();

private:
    bool write(const std::string& bytes);

    web::Stream& stream_;
    Clock::duration patience_;
    Clock::time_point last_ = Clock::now();
    bool begun_ = false;
    bool has_sent_ = false;
};

/// The answer of a handler whose stream has been sent.
web::Response already_streamed();

} // namespace usershell::execute
