// Server-sent events are the same wherever they are cut, and our own are read as they were meant.
// The first byte chooses the pieces.
#include "net/event_stream.hpp"
#include "adapters/reading/json.hpp"
#include "adapters/reading/token_joiner.hpp"
#include "base/text.hpp"
#include "execute/event_frames.hpp"
#include "target.hpp"

namespace {

using namespace usershell;

constexpr std::size_t limit = 2048;

std::string events_of(const std::vector<std::string_view>& pieces) {
    std::string events;
    net::EventStream stream{limit};
    const auto take = [&] {
        while (const auto event = stream.next()) {
            events.append(event->name).append("=").append(event->data);
            events += '\0';
        }
    };
    for (const auto piece : pieces) {
        stream.feed(piece);
        take();
    }
    stream.finish();
    take();
    return stream.is_over() ? events + "too large" : events;
}

std::string joined(const std::vector<std::string_view>& pieces) {
    adapters::TokenJoiner joiner;
    std::string text;
    for (const auto piece : pieces) text += joiner.join(piece);
    return text += joiner.flush();
}

/// Keeps the bytes that a caller is sent.
class Recorder final : public web::Stream {
public:
    void begin(const web::Response& /*head*/) override {}
    bool write(std::string_view bytes) override {
        sent += bytes;
        return true;
    }
    AsyncEvent& writable() override { std::abort(); }
    CancellationToken& cancellation() override { std::abort(); }

    std::string sent;
};

void check_frame(const std::string& text) {
    Recorder caller;
    execute::EventFrames{caller}.send_text("token", text);
    std::string read;
    net::EventStream stream;
    stream.feed(caller.sent);
    while (const auto event = stream.next()) {
        const auto frame = adapters::parse_json(event->data, {});
        if (frame.value) read += adapters::text_at(*frame.value, "/token");
    }
    fuzz::require(read == text, "a frame is read as it was meant");
}

void run(std::string_view input) {
    fuzz::Input from{input};
    const auto seed = from.byte();
    const auto pieces = fuzz::cut(from.rest(), seed);
    fuzz::require(events_of(pieces) == events_of({from.rest()}), "events do not depend on pieces");
    const auto text = joined(pieces);
    fuzz::require(text == joined({from.rest()}), "text does not depend on pieces");
    fuzz::require(is_utf8(text), "text is UTF-8");
    check_frame(text);
}

// A byte that is no text becomes three, and six in a frame.
const fuzz::Target target{"event_stream", run, std::size_t{64} * 1024, std::size_t{2048} * 1024};

} // namespace
