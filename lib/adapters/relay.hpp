// Relays a tool's request to a provider, and the answer back, byte for byte: neither is translated.
// Errors, the end of an answer and the tokens that it took are read beside the relay. As in
// calls.hpp, the functions run on the loop, their arguments outlive them, and they throw
// UpstreamError and what the sink throws.
#pragma once

#include "adapters/calls.hpp"
#include "domain/relay_routes.hpp"
#include "net/http_client.hpp"
#include "runtime/call_memory.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace usershell::adapters {

struct RelayRequest {
    RelayRoute route;
    std::string model;       ///< as the provider knows it
    bool is_beta = false;    ///< Messages: "?beta=true"
    net::HttpRequest http{}; ///< headers and body; relay() adds URL and key
};

/// Limits of use as the provider documents them: names and values that are numbers or times.
using RelayLimits = std::vector<std::pair<std::string, std::string>>;

/// An answer's status is always 200: another one is thrown as UpstreamError.
struct RelayHead {
    bool is_stream = false;        ///< server-sent events; else one document
    std::string_view sound_type{}; ///< the media type of a document that is sound; else JSON
    RelayLimits limits{};
};

class RelaySink {
public:
    /// Once, before any byte.
    virtual void begin(const RelayHead& head) = 0;
    /// Those of an answer that is thrown.
    virtual void take_limits(RelayLimits limits) = 0;
    /// A whole event.
    virtual void write(std::string_view event) = 0;
    /// A whole document, with its memory.
    virtual void write(std::string document, CallMemory::Part memory) = 0;

protected:
    ~RelaySink() = default;
};

/// Relays one request and its answer. An error inside an answer is thrown, too: after `sink` has
/// begun if the answer was a stream. A document has at most rules::max_relay_body bytes, an event
/// rules::max_relay_event; they are kept in the call's memory. The request's body is given back as
/// soon as it is not needed. `usage` receives what the answer reports, however it ends.
Task<> relay(const CallTarget& target, RelayRequest& request, const CallControl& control,
             RelaySink& sink, Usage& usage);

} // namespace usershell::adapters
