// Outbound HTTP for calls to AI providers, by libcurl. This is where the egress rule is enforced:
// on the resolved address at connect, and again before a request on a reused connection, so that
// neither a rebinding name nor a kept connection gets around it. Redirects are never followed,
// proxies from the environment and .netrc are ignored, only http and https are spoken, TLS is 1.2
// or newer and verified.
//
// One HttpClient serves all calls of a process, on its event loop. A connection that
// a call leaves open is kept for a minute for the next call of the same pool (a user) to the same
// origin; besides, calls share what names resolve to, for a minute, and nothing else: no TLS
// session and no buffer. A POST is sent once: when a kept connection dies under it, the call is
// unreachable, where libcurl would send it again. Names are resolved by threads of libcurl's. No
// exception leaves perform() but std::bad_alloc and what a callback throws.
//
// Of a name with several addresses libcurl shows us one at a time, as it tries them: the first
// forbidden one ends the call, also when another would have been allowed. HTTP/1.1 only: one call
// at a time on a connection leaves HTTP/2 nothing to do.
#pragma once

#include "domain/address/address.hpp"
#include "domain/rules.hpp"
#include "runtime/call_memory.hpp"
#include "runtime/signals.hpp"
#include "runtime/task.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace usershell::net {

/// A header whose value holds a key: wiped after the call, by us and by libcurl's allocator, and
/// never logged.
struct KeyHeader {
    std::string name;       ///< "Authorization"
    std::string prefix;     ///< "Bearer "
    std::string_view key;   ///< the caller's, outlives the call; visible ASCII only (checked: no
                            ///< header can be injected), in an own header with spaces
    bool as_bearer = false; ///< sent as "Authorization: Bearer KEY" besides
};

struct HttpRequest {
    std::string method = "POST"; ///< GET or POST
    std::string url;             ///< made from BaseUrl::text() and an adapter's path
    std::vector<std::pair<std::string, std::string>> headers;
    std::optional<KeyHeader> key;
    std::string body;
};

struct HttpLimits {
    std::chrono::milliseconds connect{10'000};
    /// From the request's start to the first byte of the answer's body, and between two pieces.
    std::chrono::milliseconds silence{300'000};
    std::chrono::milliseconds total{600'000};
    std::size_t answer_bytes = rules::max_answer; ///< of the body; more ends the call as too_large
};

struct HttpHead {
    int status = 0;
    std::string content_type;     ///< lower case, without parameters
    bool is_request_sent = false; ///< the whole body is, and is not read any more
    /// Lower-case names; the last of repeated ones.
    std::map<std::string, std::string, std::less<>> fields;
};

enum class HttpFailure {
    none,
    forbidden_address, ///< the egress rule said no
    unreachable,       ///< no such host, refused, closed or reset before an answer
    timed_out,         ///< connect, silence or total
    bad_certificate,
    too_large,
    too_costly, ///< the call's budget is spent
    not_http,   ///< an answer that is not HTTP, or is encoded in a way that can't be undone
    cut_off,    ///< the answer ended, or its encoding did, before it was whole
    cancelled,  ///< the client has gone
    stopped,    ///< on_body returned false
    unsendable, ///< the URL, a header or the key has what can't be sent; nothing was
};

struct HttpResult {
    HttpFailure failure = HttpFailure::none;
    HttpHead head; ///< status 0 when none came
};

/// The options and callbacks of a call. The callbacks run on the loop.
struct HttpControl {
    HttpLimits limits{};
    /// The pool whose connections the call may use: the user's id. Empty: the call opens its own
    /// connection and closes it afterwards.
    std::string pool{};
    /// Headers that the provider's owner has given it, their names in lower case. Each is sent
    /// once, in place of a request's of that name.
    std::span<const KeyHeader> own_headers{};
    /// Happens when the client that waits for the answer has gone: the call then ends at once, also
    /// while the upstream is silent. nullptr: the call is never cancelled.
    CancellationToken* cancellation = nullptr;
    /// Back-pressure: closed while the client does not read what it was sent. While it is closed
    /// the upstream is not read, and its silence is not counted. nullptr: always open.
    AsyncEvent* writable = nullptr;
    /// The cost limit of reading the answer, by libcurl and on_body. nullptr: no limit.
    CallBudget* budget = nullptr;
    /// Of the call: what is kept of the answer is reserved in it. nullptr: none is.
    CallMemory* memory = nullptr;
    /// Called once with the final status and headers (1xx passed over), before any of the body.
    std::function<void(const HttpHead&)> on_head{};
    /// The body as it comes, in pieces, any encoding taken off (none is asked for); false ends the
    /// call, at the latest after `linger`, in which the rest is thrown away so that the connection
    /// can be kept.
    std::function<bool(std::string_view)> on_body{};
    /// Has on_body left work that is not the loop's? Then `work` does it, on threads of its own,
    /// and returns as on_body does. The upstream is not read until then. Set both or none.
    std::function<bool()> has_work{};
    std::function<Task<bool>()> work{};
    std::chrono::milliseconds linger{100};
    /// Asked after each piece: has the answer said its last word? From then on it may go on for
    /// `grace`, whatever comes; then the call ends as stopped.
    std::function<bool()> is_answered{};
    std::chrono::milliseconds grace{1000};
    /// Called about every `tick` while waiting, so that the caller can keep its own client alive.
    std::chrono::milliseconds tick{15'000};
    std::function<void()> on_tick{};
};

class HttpClient {
public:
    /// `ca_file`: further trusted certificates (PEM) besides the system's; empty for none. Throws
    /// Error with a sentence when the machine's own addresses can't be read, which the
    /// policy is completed by.
    HttpClient(Loop& loop, EgressPolicy policy, std::string ca_file);
    /// No call may be under way, nor may the loop run.
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    /// One request and its answer. Ends on the loop, wherever it began. The request and the control
    /// outlive it.
    Task<HttpResult> perform(const HttpRequest& request, const HttpControl& control);

    struct Parts; ///< transfer.hpp

private:
    std::unique_ptr<Parts> parts_;
};

} // namespace usershell::net
