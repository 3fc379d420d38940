// The event streams that we send: one JSON object a frame, a comment while nothing happens.
// Wraps a Stream; used by one thread.
#pragma once

#include "web/message.hpp"

#include <boost/json/object.hpp>

namespace usershell::execute {

class EventFrames {
public:
    explicit EventFrames(web::Stream& stream) : stream_{stream} {}

    /// Something has gone out to the caller.
    bool begun() const { return begun_; }

    /// `data: {…}`; sends status and headers before the first. False when the caller has gone.
    bool send(const boost::json::object& frame);

    /// A comment that keeps proxies from giving up, once the stream has begun; before that nothing,
    /// so that a failure can still be a plain JSON error.
    void keep_alive();

private:
    void begin();

    web::Stream& stream_;
    bool begun_ = false;
};

/// The answer of a handler whose stream has been sent.
web::Response already_streamed();

} // namespace usershell::execute
