#include "execute/event_frames.hpp"

#include <boost/json/serialize.hpp>

namespace usershell::execute {
namespace {

/// A string as RFC 8259 has it, which Boost.JSON writes the same way.
void append_json(std::string& out, std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    constexpr std::string_view short_forms = "\"\"\\\\\bb\ff\nn\rr\tt";
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && c != '"' && c != '\\') {
            out += c;
            continue;
        }
        std::size_t form = 0;
        while (form < short_forms.size() && short_forms[form] != c) form += 2;
        out += '\\';
        if (form < short_forms.size())
            out += short_forms[form + 1];
        else
            out.append("u00").append({digits[byte >> 4U], digits[byte & 15U]});
    }
    out += '"';
}

} // namespace

bool EventFrames::send(const boost::json::object& frame) {
    has_sent_ = true;
    return write("data: " + boost::json::serialize(frame) + "\n\n");
}

bool EventFrames::send_text(std::string_view member, std::string_view text) {
    has_sent_ = true;
    frame_ = "data: {";
    append_json(frame_, member);
    frame_ += ':';
    append_json(frame_, text);
    frame_ += "}\n\n";
    return write(frame_);
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
