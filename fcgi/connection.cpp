#include "fcgi/connection.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "fcgi/loop_stream.hpp"
#include "fcgi/response.hpp"

#include <array>
#include <cerrno>
#include <exception>
#include <optional>

#include <sys/random.h>

namespace usershell::fcgi {

namespace {

std::string new_request_id() {
    std::array<char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw SystemError{"getrandom"};
    return hex({bytes.data(), bytes.size()});
}

web::Response failure_response(const web::Request& request, const Application& application) {
    return application.refuse(internal_error(), request);
}

web::Response response_to(RequestRecords& records, web::Request& request,
                          const Application& application) {
    try {
        fill_request(request, records);
    } catch (const Refusal& malformed) {
        return application.refuse(malformed, request);
    }
    return application.serve(request);
}

/// Gives `send` the response, or 500 in place of one whose head must not go out.
template <class Send>
void send_or_replace(const web::Response& response, const web::Request& request,
                     const Application& application, Send send) {
    try {
        send(response);
    } catch (const BadHead& bad) {
        log(Level::error, "bad response head", {{"what", bad.what()}});
        send(failure_response(request, application));
    }
}

/// In this thread.
void send_here(const LibfcgiRequest& library, std::chrono::milliseconds stall,
               const web::Response& response, const web::Request& request,
               const Application& application) {
    const bool is_head = request.method == web::Method::head;
    send_or_replace(response, request, application, [&](const web::Response& whole) {
        const std::string head = whole_head(whole, request.id);
        if (library.send(head, whole_body(whole, is_head), stall) == EAGAIN)
            log(Level::warning, "client stalled");
    });
}

/// A response that is there already, for a request whose body is still on its way.
class ReadyResponse final : public web::AsyncResponse {
public:
    explicit ReadyResponse(web::Response response) : response_{std::move(response)} {}
    Task<web::Response> run(web::Stream&) override { co_return std::move(response_); }

private:
    web::Response response_;
};

Task<> attach(Loop& loop, LoopStream& stream) {
    co_await loop.enter();
    stream.attach();
}

/// Queues what is still to be sent; false when the stream must be seen to be cut.
bool conclude(LoopStream& stream, const web::Response& response, const std::string& request_id,
              const Application& application) {
    const LogContext context{request_id};
    if (stream.begun() != response.streamed)
        log(Level::error, stream.begun() ? "stream cut" : "streamed nothing");
    if (stream.begun()) return response.streamed;
    web::Request request; // the members that an error response needs
    request.id = request_id;
    const auto send = [&](const web::Response& whole) {
        if (!stream.send(whole)) stream.send(application.refuse(service_is_busy(), request));
    };
    if (response.streamed)
        send(failure_response(request, application));
    else
        send_or_replace(response, request, application, send);
    return true;
}

/// Begins in the request's thread and ends on the loop.
Task<> answer_async(Descriptor connection, LoopStream::Origin origin,
                    std::unique_ptr<web::AsyncResponse> async, ConnectionLimits limits,
                    const Application& application, Pending& pending) {
    const Pending::One counted{pending};
    const std::string request_id = origin.request_id;
    LoopStream stream{*application.loop, std::move(connection), std::move(origin), limits.stall,
                      limits.body_interval};
    start(attach(*application.loop, stream)); // before anything else gets there
    web::Response response = co_await async->run(stream);
    co_await application.loop->enter();
    const bool is_whole = conclude(stream, response, request_id, application);
    std::string{}.swap(response.body); // the stream has a copy
    if (is_whole)
        co_await stream.finish();
    else
        stream.cut();
}

void serve_request(Descriptor connection, RequestRecords records, const ConnectionLimits& limits,
                   const Application& application, Pending& pending) {
    web::Request request;
    request.id = new_request_id();
    const LogContext context{request.id};
    web::Response response = response_to(records, request, application);
    if (!response.async && !records.awaited)
        return send_here(*records.library, limits.stall, response, request, application);
    records.library.reset(); // an answer on the loop needs none of its buffers
    auto async = std::move(response.async);
    if (!async) async = std::make_unique<ReadyResponse>(std::move(response));
    LoopStream::Origin origin{.record_id = records.id,
                              .request_id = request.id,
                              .is_head = request.method == web::Method::head,
                              .is_late = records.awaited.has_value(),
                              .early = std::move(records.early)};
    start(answer_async(std::move(connection), std::move(origin), std::move(async), limits,
                       application, pending));
}

template <class Work>
void logging_failures(Work work) noexcept {
    try {
        work();
    } catch (const BadRecords& bad) {
        log(Level::warning, "bad FastCGI request", {{"why", bad.what()}});
    } catch (const std::exception& failure) {
        log(Level::error, "connection failed", {{"error", loggable(failure)}});
    } catch (...) {
        log(Level::error, "connection failed", {{"exception", "unknown"}});
    }
}

} // namespace

std::optional<RequestRecords> receive(int connection, const ConnectionLimits& limits,
                                      const Application& application) noexcept {
    std::optional<RequestRecords> records;
    logging_failures(
        [&] { records = read_request(connection, limits.records, application.reads_late); });
    return records;
}

std::string lane_of(const RequestRecords& records, const Application& application) noexcept {
    std::string lane;
    if (!application.lane) return lane;
    logging_failures([&] {
        web::Request request;
        for (const auto& [name, value] : records.params)
            if (name == "HTTP_COOKIE") request.headers.emplace("cookie", value);
        lane = application.lane(request);
    });
    return lane;
}

void respond(Descriptor connection, RequestRecords records, const ConnectionLimits& limits,
             const Application& application, Pending& pending) noexcept {
    logging_failures([&] {
        serve_request(std::move(connection), std::move(records), limits, application, pending);
    });
}

} // namespace usershell::fcgi
