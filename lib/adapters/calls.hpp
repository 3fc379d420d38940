// Calls to AI providers, whatever protocol they speak: chat, model list, search. One function for
// each; the provider type's row chooses the protocol. Nothing here knows of users, stores or
// failover. The functions run on the HTTP client's event loop, as do the callbacks, and hold no
// thread; their arguments must outlive them. They throw UpstreamError, and what a callback throws.
#pragma once

#include "adapters/errors/upstream_error.hpp"
#include "domain/address/url.hpp"
#include "domain/catalogue.hpp"
#include "net/http_client.hpp"
#include "runtime/blocking_pool.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::adapters {

/// Where a call goes. A call whose URL is not at or below the base URL is not made. All three
/// outlive the call.
struct CallTarget {
    const ProviderType& type;
    const BaseUrl& base_url;
    std::string_view key;
};

/// Limits of a call, and the signals of the client that waits for its answer.
struct CallControl {
    net::HttpClient& http;
    /// Of the whole call, whose requests share the time and the budget. A call that has spent its
    /// processor time ends as too_large. A call without a request left makes no more requests.
    /// on_head and on_body are empty.
    net::HttpControl options{};
    /// Its threads write large requests and parse large answers, so that the loop is not held up.
    /// nullptr: the loop does this work. These threads open no keys.
    PoolLane* readers = nullptr;
};

/// An image in a message. Both are views of what outlives the call.
struct ChatImage {
    std::string_view type; ///< a word of rules::image_type
    std::string_view data; ///< Base64
};

struct ChatMessage {
    enum class Role { user, assistant } role;
    std::string content;
    std::vector<ChatImage> images{};
};

struct ChatRequest {
    std::string model;
    std::string system; ///< empty: none
    std::vector<ChatMessage> messages;
    std::optional<double> temperature;
    std::optional<std::uint32_t> max_tokens;
    bool stream = false;
    bool reasoning = false; ///< the model's reasoning is wanted, too
    /// A connectivity check: an answer without text that ended by length (a reasoning model that
    /// spent its tokens thinking) counts as reached, and an upstream that only streams is asked
    /// again, streaming.
    bool check = false;
};

bool has_images(const ChatRequest& request);

/// Why an answer ended.
enum class FinishReason {
    none,   ///< the provider did not say
    stop,   ///< the answer is complete
    length, ///< all allowed tokens were used
    filter, ///< stopped by the provider's content policy
    tool,   ///< the model asks for a tool
    failed, ///< by the provider's own failure: an error, and so in no reply
    other,  ///< for a reason that we do not know: ChatReply::finish_word
};

/// The contract's word: "stop"; empty for none, failed and other.
std::string_view name_of(FinishReason finish_reason);

/// Counts of tokens; null where the provider sends none.
struct Usage {
    std::optional<std::uint64_t> input;
    std::optional<std::uint64_t> output;    ///< including those of the reasoning
    std::optional<std::uint64_t> reasoning; ///< of the output
};

// When an answer is complete: a finish reason or the protocol's end marker ("[DONE]", message_stop)
// completes it, whatever happens to the connection afterwards. A stream that ends without either is
// cut_off, even when its connection was closed properly: gateways close it so when the server
// behind them dies, and half an answer must not pass for a whole one, in a check neither.
// An answer without text is an error that says what came instead; one with text that was stopped by
// length or by the provider's content policy is an answer with that finish reason.
//
// When an upstream refuses a request and its error says what to change, the request is sent again
// with that change (request_options.hpp).

struct ChatReply {
    std::string content; ///< empty when a sink has taken it
    std::string model;   ///< as the provider names it, or the request's
    FinishReason finish_reason = FinishReason::none;
    std::string finish_word{}; ///< the provider's own, of another reason; printable, short
    Usage usage{};
};

/// Called with the pieces of an answer as they arrive, in order, each well-formed UTF-8 and never
/// empty. Either may be left empty.
struct ChatSinks {
    std::function<void(std::string_view)> text{};
    std::function<void(std::string_view)> reasoning{}; ///< the model's, besides the answer
};

/// A chat's answer. limits.answer_bytes bounds its text; the model's reasoning is no part of the
/// answer, but counts against that limit where it was asked for. It also bounds the body of an
/// answer that is not streamed; a stream may be sixteen times as long, with 1 MiB an event. Parsing
/// JSON takes at most four times its maximal size in memory.
Task<ChatReply> complete_chat(const CallTarget& target, const ChatRequest& request,
                              const CallControl& control, const ChatSinks& sinks);

struct AvailableModel {
    std::string id;
    std::string display_name;
    std::string capabilities; ///< words of rules::capability, comma separated; may be empty
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

/// The credit that is left to spend with a key.
struct Credit {
    std::string amount;   ///< "12.34", perhaps below zero
    std::string currency; ///< ISO 4217: "USD"
};

/// Asks for it by one request, within a few seconds. Null for a type that does not tell, for a key
/// without a limit, and after any failure, which says nothing about chats. Throws no UpstreamError.
Task<std::optional<Credit>> remaining_credit(const CallTarget& target, const CallControl& control);

} // namespace usershell::adapters
