#include "execute/playground/event_frames.hpp"

#include <boost/json/serialize.hpp>

namespace usershell::execute {

bool EventFrames::send(const boost::json::object& frame) {
    has_sent_ = true;
    return write("data: " + boost::json::serialize(frame) + "\n\n");
}

void EventFrames::keep_alive() {
    if (Clock::now() - last_ >= patience_) write(": ping\n\n");
}

bool EventFrames::write(const std::string& bytes) {
    if (!begun_) {
        begun_ = true;
        web::Response head;
        head.set("Content-Type", "text/event-stream; charset=utf-8");
        head.set("Cache-Control", "no-store");
        stream_.begin(head);
    }
    last_ = Clock::now();
    return stream_.write(bytes);
}

web::Response already_streamed() {
    web::Response response;
    response.streamed = true;
    return response;
}

} // namespace usershell::execute
