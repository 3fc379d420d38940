#include "fcgi/connection.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "fcgi/request.hpp"
#include "fcgi/response.hpp"

#include <array>
#include <cerrno>
#include <optional>
#include <system_error>

#include <sys/random.h>

namespace usershell::fcgi {

namespace {

std::string new_request_id() {
    std::array<char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw std::system_error{errno, std::generic_category(), "getrandom"};
    return hex({bytes.data(), bytes.size()});
}

/// The client's end of a connection: it gets one response, whole or as a stream.
class Client final : public web::Stream {
public:
    Client(int connection, std::uint16_t request_id, const web::Request& request,
           const Application& application)
        : connection_{connection},
          request_{request},
          application_{application},
          writer_{connection, request_id} {}

    /// Sends the whole response, or 500 in place of one whose head must not go out.
    void send(const web::Response& response) {
        try {
            write_whole(response);
        } catch (const BadHead& bad) {
            replace(bad);
        }
    }

    void begin(const web::Response& head) override {
        begun_ = true;
        try {
            writer_.write(stream_head(head, request_.id));
            open_ = writer_.flush();
        } catch (const BadHead& bad) {
            replace(bad);
        }
    }

    bool write(std::string_view bytes) override {
        if (!open_) return false;
        if (request_.method != web::Method::head) writer_.write(bytes);
        open_ = writer_.flush();
        return open_;
    }

    int gone_fd() const override { return connection_; }

    bool begun() const { return begun_; }

    void finish() {
        if (!writer_.finish() && writer_.failure() == EAGAIN) log(Level::warning, "client stalled");
    }

private:
    void replace(const BadHead& bad) {
        log(Level::error, "bad response head", {{"what", bad.what()}});
        write_whole(application_.refuse(internal_error(), request_));
    }

    void write_whole(const web::Response& response) {
        writer_.write(whole_head(response, request_.id));
        if (request_.method != web::Method::head && response.status != 204 &&
            response.status != 304)
            writer_.write(response.body);
    }

    const int connection_;
    const web::Request& request_;
    const Application& application_;
    ResponseWriter writer_;
    bool begun_ = false;
    bool open_ = false;
};

/// What the application makes of the records, or of its own failure.
web::Response response_to(RequestRecords records, web::Request& request, web::Stream& stream,
                          const Application& application) {
    try {
        fill_request(request, std::move(records));
        return application.serve(request, stream);
    } catch (const Refusal& refusal) {
        log(Level::warning, "request refused",
            {{"why", refusal.sentence()}, {"status", std::to_string(refusal.status())}});
        return application.refuse(refusal, request);
    } catch (const std::exception& failure) {
        // Its text may hold what must not be in a log.
        log(Level::error, "request failed", {{"error", loggable(failure)}});
    } catch (...) {
        log(Level::error, "request failed", {{"exception", "unknown"}});
    }
    return application.refuse(internal_error(), request);
}

void serve_request(int connection, RequestRecords records, const Application& application) {
    web::Request request;
    request.id = new_request_id();
    const LogContext context{request.id};
    Client client{connection, records.id, request, application};
    const web::Response response = response_to(std::move(records), request, client, application);
    if (client.begun() != response.streamed)
        log(Level::error, client.begun() ? "stream cut" : "streamed nothing");
    if (client.begun() && !response.streamed) return; // unfinished, so that it is seen to be cut
    if (!client.begun())
        client.send(response.streamed ? application.refuse(internal_error(), request) : response);
    client.finish();
}

} // namespace

void serve_connection(Descriptor connection, const RecordLimits& limits,
                      const Application& application) noexcept {
    try {
        if (auto records = read_request(connection.get(), limits))
            serve_request(connection.get(), std::move(*records), application);
    } catch (const BadRecords& bad) {
        log(Level::warning, "bad FastCGI request", {{"why", bad.what()}});
    } catch (const std::exception& failure) {
        log(Level::error, "connection failed", {{"error", loggable(failure)}});
    } catch (...) {
        log(Level::error, "connection failed", {{"exception", "unknown"}});
    }
}

} // namespace usershell::fcgi
