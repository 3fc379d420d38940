// A request and its answer, free of FastCGI: the worker fills and sends them, tests make and read
// them. Plain values, used by one thread at a time.
#pragma once

#include "base/wiping.hpp"
#include "runtime/call_memory.hpp"
#include "runtime/signals.hpp"
#include "runtime/task.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace usershell::web {

enum class Method { get, head, post, put, delete_, other };
Method parse_method(std::string_view text);
std::string_view name_of(Method method);

struct Request {
    Method method = Method::get;
    std::string path;  ///< raw, as sent, before '?'
    WipedString query; ///< raw, after '?'; links carry their token here
    /// Lower-case names. CGI writes '-' and '_' alike: both are '-' here, but for leading
    /// underscores, which stay ("__requestverificationtoken"). No X-Request-Id: a client's own is
    /// dropped.
    std::multimap<std::string, WipedString, std::less<>> headers;
    WipedString body; ///< one over the worker's limit is cut a byte above it
    /// Bytes of a body that the stream is still to read, as announced; 0: not known. Null: `body`
    /// has it.
    std::optional<std::size_t> awaited{};
    std::string client_address; ///< as nginx saw it
    std::string id;             ///< X-Request-Id, made by the worker

    /// The header's value, trimmed; null when it is missing or is there twice with different
    /// values. Valid as long as the request is.
    std::optional<std::string_view> header(std::string_view lower_name) const;
    /// Null when there is no such cookie, or two of that name. Valid as long as the request is.
    std::optional<std::string_view> cookie(std::string_view name) const;
    /// Decoded value of a query parameter; null when missing, repeated or malformed (a broken
    /// escape, no UTF-8, a control character other than tab, CR and LF). "?name" has the value "".
    std::optional<std::string> query_value(std::string_view name) const;
    /// Of the body, in lower case and without parameters; empty when the request has none.
    std::string media_type() const;
    /// Does the Accept header name exactly this type? Ranges such as */* do not count.
    bool asks_for(std::string_view media_type) const;
};

struct Response;

/// How the reading of a late body ended: slow means less than 10 KiB/s.
enum class BodyEnd { complete, stopped, gone, slow, malformed };
using TakeBody = std::function<bool(std::string_view)>;

/// Sends a client its answer piece by piece. Made by the worker, used on its event loop only. The
/// pieces of one step of the loop (runtime/loop.hpp) are sent together at its end.
class Stream {
public:
    virtual ~Stream() = default;
    /// Sends status and headers. Call once, before write(). Throws when a header must not go out,
    /// having sent nothing.
    virtual void begin(const Response& head) = 0;
    /// Never waits; false when the client has gone (and on every call after that), or when there is
    /// no memory to keep the bytes until the client takes them.
    virtual bool write(std::string_view bytes) = 0;
    /// From now on, what the client has not taken is kept in this memory, and the stream is
    /// cancelled when the memory is lost.
    // NOLINTNEXTLINE(performance-unnecessary-value-param): an override keeps it
    virtual void counts_in(std::shared_ptr<CallMemory> /*memory*/) {}
    /// Reset while the client has not read some pieces: no more should be written then.
    virtual AsyncEvent& writable() = 0;
    /// Reads an awaited body: gives each piece to `take` until that returns false. Call once at
    /// most. A request without one has an empty one.
    virtual Task<BodyEnd> read_body(TakeBody take);
    /// Cancelled when the client goes away or stalls, or when its call loses the right to run or
    /// its memory.
    virtual CancellationToken& cancellation() = 0;
};

/// An answer that takes its time: made on the event loop, without a thread.
class AsyncResponse {
public:
    AsyncResponse() = default;
    virtual ~AsyncResponse() = default;
    AsyncResponse(const AsyncResponse&) = delete;
    AsyncResponse& operator=(const AsyncResponse&) = delete;

    /// Called once, on the request's thread, which it leaves as soon as it waits. The whole answer,
    /// or a streamed one that has gone through `stream`, which outlives the task.
    virtual Task<Response> run(Stream& stream) = 0;
};

/// Cookies as this service sets them are all alike: of this host alone, for every path, over TLS
/// only, out of reach of scripts, and not sent by other sites' forms. Browsers refuse one whose
/// name begins with "__Host-" if it is set otherwise (RFC 6265bis, 4.1.3.2).
struct Cookie {
    std::string_view name; ///< "__Host-…"
    std::string value;     ///< letters, digits and the marks of RFC 6265's cookie-octet
    /// Null: until the browser is closed. Zero: the browser forgets the cookie.
    std::optional<std::chrono::seconds> max_age{};
};

/// The cookie that makes a browser forget that of this name.
Cookie forgotten(std::string_view name);

/// Moved, not copied.
struct Response {
    int status = 200;
    /// Names are tokens, values are free of control characters: the worker answers 500 instead
    /// otherwise. It adds X-Request-Id and Content-Length itself.
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    /// The answer was sent through a Stream already; the other members are empty.
    bool streamed = false;
    /// The answer comes later; the other members are empty. An AsyncResponse itself must not return
    /// one.
    std::unique_ptr<AsyncResponse> async{};

    /// Replaces the header of that name, in any case of letters.
    Response& set(std::string name, std::string value);
    /// Adds a Set-Cookie header. Throws Error for a name without the prefix and for a value that
    /// could be read as more than a value.
    Response& set(const Cookie& cookie);
    static Response redirect(int status, std::string location);
    static Response json(std::string document, int status = 200);
    static Response html(std::string page, int status = 200);
    static Response no_content();
};

} // namespace usershell::web
