#include "fcgi/connection.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "fcgi/exchange.hpp"
#include "fcgi/own_answers.hpp"
#include "fcgi/request.hpp"
#include "fcgi/response_head.hpp"

#include <array>
#include <cerrno>
#include <chrono>
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

Refusal internal_error() {
    return Refusal{ErrorCode::internal_error, "Something went wrong here."};
}

void send(Exchange& exchange, const web::Request& request, const web::Response& response) {
    exchange.write(whole_head(response, request.id));
    if (request.method != web::Method::head && response.status != 204 && response.status != 304)
        exchange.write(response.body);
}

void send_error(Exchange& exchange, const web::Request& request, const BadHead& bad) {
    log(Level::error, "bad response head", {{"what", bad.what()}});
    send(exchange, request, own_answer(internal_error(), request));
}

/// The client's end of an Exchange while the application streams.
class ExchangeStream final : public web::Stream {
public:
    ExchangeStream(Exchange& exchange, const web::Request& request)
        : exchange_{exchange},
          request_{request} {}

    void begin(const web::Response& head) override {
        begun_ = true;
        try {
            exchange_.write(stream_head(head, request_.id));
            open_ = exchange_.flush();
        } catch (const BadHead& bad) {
            open_ = false;
            send_error(exchange_, request_, bad);
        }
    }

    bool write(std::string_view bytes) override {
        if (!open_) return false;
        if (request_.method != web::Method::head) exchange_.write(bytes);
        open_ = exchange_.flush();
        return open_;
    }

    int gone_fd() const override { return exchange_.connection(); }

    bool begun() const { return begun_; }

private:
    Exchange& exchange_;
    const web::Request& request_;
    bool begun_ = false;
    bool open_ = false;
};

void send_whole(Exchange& exchange, const web::Request& request, const web::Response& response) {
    try {
        send(exchange, request, response);
    } catch (const BadHead& bad) {
        send_error(exchange, request, bad);
    }
}

/// What the application makes of the request; nothing when it failed, which is in the log then.
std::optional<web::Response> ask(const Serve& serve, const web::Request& request,
                                 web::Stream& stream) {
    try {
        return serve(request, stream);
    } catch (const std::exception& failure) {
        // Its text may hold what must not be in a log.
        log(Level::error, "request failed", {{"error", loggable(failure)}});
    } catch (...) {
        log(Level::error, "request failed", {{"exception", "unknown"}});
    }
    return std::nullopt;
}

/// True when the answer is whole; false when it must be seen to be broken.
bool serve_request(Exchange& exchange, const web::Request& request, const Serve& serve) {
    ExchangeStream stream{exchange, request};
    const std::optional<web::Response> response = ask(serve, request, stream);
    if (stream.begun()) {
        if (response && !response->streamed) log(Level::error, "answered twice");
        return response && response->streamed;
    }
    if (response && response->streamed) log(Level::error, "streamed nothing");
    const bool usable = response && !response->streamed;
    send_whole(exchange, request, usable ? *response : own_answer(internal_error(), request));
    return true;
}

void serve_exchange(Exchange& exchange, std::size_t body_size, const Serve& serve) {
    web::Request request;
    std::string id = new_request_id();
    const LogContext context{id};
    bool whole = true;
    try {
        fill_request(request, exchange.params(), exchange.take_body(), body_size, std::move(id));
        whole = serve_request(exchange, request, serve);
    } catch (const Refusal& refusal) {
        log(Level::warning, "request refused", {{"why", refusal.sentence()}});
        send_whole(exchange, request, own_answer(refusal, request));
    }
    if (whole && !exchange.finish() && exchange.failure() == EAGAIN)
        log(Level::warning, "client stalled");
}

} // namespace

void serve_connection(Descriptor connection, const RecordLimits& limits,
                      const Serve& serve) noexcept {
    try {
        auto records = read_request(connection.get(), limits);
        if (!records) return;
        const std::size_t body_size = records->body_size;
        Exchange exchange{std::move(connection), *records};
        records.reset();
        serve_exchange(exchange, body_size, serve);
    } catch (const BadRecords& bad) {
        log(Level::warning, "bad FastCGI request", {{"why", bad.what()}});
    } catch (const std::exception& failure) {
        log(Level::error, "connection failed", {{"error", loggable(failure)}});
    } catch (...) {
        log(Level::error, "connection failed", {{"exception", "unknown"}});
    }
}

web::Response refuse_for_now(const web::Request& request, web::Stream& /*stream*/) {
    const Refusal refusal =
        unavailable("The service is busy. Try again in a moment.", std::chrono::seconds{1});
    log(Level::warning, "request refused",
        {{"why", "every thread is busy"},
         {"method", std::string{web::name_of(request.method)}},
         {"status", std::to_string(refusal.status())}});
    return own_answer(refusal, request);
}

} // namespace usershell::fcgi
