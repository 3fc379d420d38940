// A provider's answer to a tool: given on are its own bytes, in order, and none of an error.
#include "adapters/errors/upstream_error.hpp"
#include "adapters/reading/relay_reader.hpp"
#include "target.hpp"

#include <algorithm>

namespace {

using namespace usershell;

struct Sink final : adapters::RelaySink {
    explicit Sink(std::string_view given) : left{given} {}

    std::string_view left; ///< of the answer, behind what was given on
    std::string written;
    bool has_begun = false;

    void take_limits(adapters::RelayLimits) override {}
    void begin(const adapters::RelayHead& /*head*/) override {
        fuzz::require(!has_begun, "an answer begins once");
        has_begun = true;
    }
    void write(std::string_view event) override {
        fuzz::require(has_begun, "an answer begins before its bytes");
        written += event;
        if (event == ":\n" || event == "\n") return; // an emptied comment; half of a line's end
        auto at = left.find(event);
        if (at == std::string_view::npos && event.ends_with("\n\n")) // the last event
            at = left.find(event.substr(0, event.size() - 2));
        fuzz::require(at != std::string_view::npos, "what is given on is the provider's");
        left.remove_prefix(std::min(at + event.size(), left.size()));
    }
    void write(std::string document, CallMemory::Part /*memory*/) override { write(document); }
};

std::string heard(std::string_view body, const net::HttpHead& head,
                  const std::vector<std::string_view>& pieces) {
    Sink sink{body};
    adapters::Usage usage;
    adapters::RelayReader reader{RelayRoute::chat, "a-key-of-sixteen", sink, usage};
    net::HttpResult result;
    result.head = head;
    reader.take_head(head);
    for (const auto piece : pieces) {
        if (reader.take_body(piece)) continue;
        result.failure = net::HttpFailure::stopped;
        break;
    }
    if (reader.finish(result)) return sink.written + "\nfailed";
    try {
        reader.conclude(result);
    } catch (const adapters::UpstreamError& error) {
        return sink.written + "\n" + std::string{error.reason_name()};
    }
    return sink.written + "\n" + std::to_string(usage.output.value_or(0));
}

void run(std::string_view input) {
    fuzz::Input parts{input};
    const auto seed = parts.byte();
    const std::string body{parts.rest()};
    net::HttpHead head;
    head.status = 200;
    const std::string whole = heard(body, head, {body});
    fuzz::require(heard(body, head, fuzz::cut(body, seed)) == whole,
                  "pieces are read as the whole is");
}

const fuzz::Target target{"relay_answer", run, std::size_t{256} * 1024,
                          std::size_t{4} * 1024 * 1024};

} // namespace
