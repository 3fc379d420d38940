// Calls to AI providers, whatever protocol they speak: chat, model list, search. One function a
// job; the protocol is chosen by the provider type's row. Nothing here knows of users, stores or
// failover. Each runs on the client's event loop, as do the callbacks, and holds no thread; what it
// is given outlives it. Throws UpstreamError and nothing else of its own.
#pragma once

#include "adapters/errors/upstream_error.hpp"
#include "base/address/url.hpp"
#include "base/catalogue.hpp"
#include "base/loop/threads.hpp"
#include "net/http_client.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::adapters {

/// Where a call goes: at or below the base URL, else it is not made. All three outlive the call.
struct CallTarget {
    const ProviderType& type;
    const BaseUrl& base_url;
    std::string_view key;
};

/// Bounds of a call and its caller's presence.
struct CallControl {
    net::HttpClient& http;
    net::HttpLimits limits{};
    /// Where large answers are parsed, so that the loop goes on meanwhile; nullptr: on the loop.
    Threads* threads = nullptr;
    // As in HttpControl.
    Departure* caller = nullptr;
    Gate* gate = nullptr;
    std::chrono::milliseconds tick{15'000};
    std::function<void()> on_tick{};
    std::string pool{};
};

struct ChatMessage {
    enum class Role { user, assistant } role;
    std::string content;
};

struct ChatRequest {
    std::string model;
    std::string system; ///< empty: none
    std::vector<ChatMessage> messages;
    std::optional<double> temperature;
    std::optional<std::uint32_t> max_tokens;
    bool stream = false;
    bool reasoning = false; ///< what the model thinks aloud is wanted, too
    /// A connectivity check: an answer without text that ended by length (a reasoning model that
    /// spent its tokens thinking) counts as reached, and an upstream that only streams is asked
    /// again, streaming.
    bool check = false;
};

/// Why an answer ended.
enum class FinishReason {
    none,   ///< not told
    stop,   ///< all of it
    length, ///< all allowed tokens were used
    filter, ///< stopped by the provider's content policy
    tool,   ///< the model asks for a tool
};

/// The contract's word: "stop"; empty for none.
std::string_view name_of(FinishReason finish_reason);

/// Tokens, as far as the provider tells.
struct Usage {
    std::optional<std::uint64_t> input;
    std::optional<std::uint64_t> output;    ///< with those of the reasoning
    std::optional<std::uint64_t> reasoning; ///< of the output
};

// How an answer's end is judged: a finish reason or the protocol's last word ("[DONE]",
// message_stop) makes it whole, whatever happens to the connection afterwards. A stream that ends
// without either is cut_off, also when its connection ended in good order: gateways close like that
// when what is behind them dies, and half an answer must not pass for a whole one. (A check is
// content with any text.) An answer without text is an error that says what came in its place; one
// that has text and was stopped by length or by the provider's content policy is an answer, whose
// finish reason tells.
//
// What an upstream refuses is asked for in another way, once, where it says how (see
// request_options.hpp).

struct ChatReply {
    std::string content; ///< empty when a sink has taken it
    std::string model;   ///< as the provider names it, or the request's
    FinishReason finish_reason = FinishReason::none;
    Usage usage{};
};

/// Where the pieces of an answer go as they come, in order, each well-formed UTF-8 and never empty.
/// Either may be left out.
struct ChatSinks {
    std::function<void(std::string_view)> text{};
    std::function<void(std::string_view)> reasoning{}; ///< what the model thinks aloud
};

/// What a model thinks aloud is not part of the answer; where it is asked for, its bytes count as
/// the text's do. limits.answer_bytes bounds the answer's text, however it comes, and a whole
/// answer with all that is around it; a stream may have sixteen times as many bytes on the wire, 1
/// MiB an event. JSON takes at most four bytes of memory for each that it may have.
Task<ChatReply> complete_chat(const CallTarget& target, const ChatRequest& request,
                              const CallControl& control, const ChatSinks& sinks);

struct AvailableModel {
    std::string id;
    std::string display_name;
    std::string capabilities; ///< words of rules::capability, comma separated, where the provider
                              ///< tells; else empty
};

struct ModelListing {
    std::vector<AvailableModel> models;
    bool truncated = false; ///< the provider has more
};

/// All pages of the provider's list, sorted by id, each once, empty ids dropped, at most 2,000. An
/// answer may have up to 8 MiB, whatever the limits say.
Task<ModelListing> list_models(const CallTarget& target, const CallControl& control);

/// A web search (or fetch) with `query`; returns a short readable reply: the first results' titles
/// and URLs.
Task<std::string> search(const CallTarget& target, std::string_view query,
                         const CallControl& control);

} // namespace usershell::adapters
