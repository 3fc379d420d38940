// A request and its answer, free of FastCGI: the worker fills and sends them, tests make and read
// them. Plain values, used by one thread at a time.
#pragma once

#include "base/wiping.hpp"
#include "web/cookie.hpp"

#include <map>
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
    WipedString body;
    /// The sender's own figure, or what was read when there was none; larger than body.size() when
    /// the body was over the worker's own limit and not kept.
    std::size_t body_size = 0;
    std::string client_address; ///< as nginx saw it
    std::string id;             ///< X-Request-Id, made by the worker

    /// The header's value, trimmed; nothing when it is missing or stands twice with different
    /// values. Valid as long as the request is.
    std::optional<std::string_view> header(std::string_view lower_name) const;
    /// Nothing when there is no such cookie, or two of that name. Valid as long as the request is.
    std::optional<std::string_view> cookie(std::string_view name) const;
    /// Decoded value of a query parameter; nothing when missing, repeated or malformed (a broken
    /// escape, no UTF-8, a control character other than tab, CR and LF). "?name" has the value "".
    std::optional<std::string> query_value(std::string_view name) const;
    /// Of the body, in lower case and without parameters; empty when the request has none.
    std::string media_type() const;
    /// The Accept header names this type by itself; ranges such as */* are no wish for it.
    bool asks_for(std::string_view media_type) const;
};

struct Response {
    int status = 200;
    /// Names are tokens, values are free of control characters: the worker answers 500 instead
    /// otherwise. It adds X-Request-Id and Content-Length itself.
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    /// The answer has gone out through Stream already; the rest is empty.
    bool streamed = false;

    /// Replaces the header of that name, in any case of letters.
    Response& set(std::string name, std::string value);
    /// Adds a Set-Cookie header.
    Response& set(const Cookie& cookie);
    static Response redirect(int status, std::string location);
    static Response json(std::string document, int status = 200);
    static Response html(std::string page, int status = 200);
    static Response no_content();
};

/// The way to a client that gets its answer piece by piece. Given by the worker, used by one
/// thread.
class Stream {
public:
    virtual ~Stream() = default;
    /// Sends status and headers at once. Call once, before write(). A bad header: 500 goes out
    /// instead, and write() answers false.
    virtual void begin(const Response& head) = 0;
    /// Sends at once; false when the client has gone (and on every call after that).
    virtual bool write(std::string_view bytes) = 0;
    /// Becomes readable or hangs up when the client goes away; -1: can't be watched (tests).
    virtual int gone_fd() const = 0;
};

} // namespace usershell::web
