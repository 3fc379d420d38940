// A provider's answer to a tool: given on are its own bytes, in order, and none of an error.
#include "adapters/errors/upstream_error.hpp"
#include "adapters/reading/relay_reader.hpp"
#include "target.hpp"

namespace {

using namespace usershell;

struct Sink final : adapters::RelaySink {
    void take_limits(adapters::RelayLimits) override {}
    std::string written;
    bool has_begun = false;

    void begin(const adapters::RelayHead& /*head*/) override {
        fuzz::require(!has_begun, "an answer begins once");
        has_begun = true;
    }
    void write(std::string_view event) override {
        fuzz::require(has_begun, "an answer begins before its bytes");
        written += event;
    }
    void write(std::string document, CallMemory::Part /*memory*/) override { write(document); }
};

std::string heard(const net::HttpHead& head, const std::vector<std::string_view>& pieces) {
    Sink sink;
    adapters::Usage usage;
    adapters::RelayReader reader{sink, usage};
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
    for (const char* const type : {"text/event-stream", "application/json"}) {
        net::HttpHead head;
        head.status = 200;
        head.content_type = type;
        const std::string whole = heard(head, {body});
        const auto bytes = std::string_view{whole}.substr(0, whole.rfind('\n'));
        fuzz::require(body.starts_with(bytes) || bytes == body + "\n" || bytes == body + "\n\n",
                      "what is given on is the provider's");
        fuzz::require(heard(head, fuzz::cut(body, seed)) == whole,
                      "pieces are read as the whole is");
    }
}

const fuzz::Target target{"relay_answer", run, std::size_t{256} * 1024,
                          std::size_t{4} * 1024 * 1024};

} // namespace
