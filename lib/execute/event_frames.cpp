#include "execute/event_frames.hpp"

#include <boost/json/serialize.hpp>

namespace usershell::execute {

bool EventFrames::send(const boost::json::object& frame) {
    has_sent_ = true;
    return write("data: " + boost::json::serialize(frame) + "\n\n");
}

bool EventFrames::send_text(std::string_view member, std::string_view text) {
    has_sent_ = true;
    const std::string json = boost::json::serialize(boost::json::string_view{text});
    return write("data: {\"" + std::string{member} + "\":" + json + "}\n\n");
}

void EventFrames::keep_alive() {
    if (Clock::now() - last_ >= patience_) write(": ping\n\n");
}

bool EventFrames::write(std::string_view bytes) {
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

web::Response streamed_response() {
    web::Response response;
    response.streamed = true;
    return response;
}

} // namespace usershell::execute
