#include "execute/playground/event_frames.hpp"

#include <boost/json/serialize.hpp>

namespace usershell::execute {

bool EventFrames::send(const boost::json::object& frame) {
    begin();
    return stream_.write("data: " + boost::json::serialize(frame) + "\n\n");
}

void EventFrames::keep_alive() {
    if (begun_) stream_.write(": ping\n\n");
}

void EventFrames::begin() {
    if (begun_) return;
    begun_ = true;
    web::Response head;
    head.set("Content-Type", "text/event-stream; charset=utf-8");
    head.set("Cache-Control", "no-store");
    stream_.begin(head);
}

web::Response already_streamed() {
    web::Response response;
    response.streamed = true;
    return response;
}

} // namespace usershell::execute
