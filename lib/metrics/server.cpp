#include "metrics/server.hpp"

#include "base/logging/log.hpp"

#include <exception>
#include <string_view>
#include <thread>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace usershell::metrics {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Protocol = asio::local::stream_protocol;
using Stream = beast::basic_stream<Protocol>;

constexpr std::chrono::seconds patience{5}; ///< with whoever asks, for a whole conversation
constexpr std::size_t max_request = 8192;

// Boost.Beast reads and writes here, on a thread of its own: this socket must answer just when the
// workers' threads are all busy, and a monitoring client that hangs must not take one of them.

using Response = http::response<http::string_body>;

Response respond(http::status status, std::string_view type, std::string body) {
    Response response{status, 11};
    response.set(http::field::content_type, beast::string_view{type.data(), type.size()});
    response.keep_alive(false);
    response.body() = std::move(body);
    response.prepare_payload();
    return response;
}

Response respond(http::status status, std::string sentence) {
    return respond(status, "text/plain; charset=utf-8", std::move(sentence) + '\n');
}

using Request = http::request<http::empty_body>;

/// The database is asked on the thread of `checks`, so that /metrics is answered while the database
/// hangs.
asio::awaitable<Response> health(const Answers& answers, asio::thread_pool& checks) {
    const auto ask = [&answers]() -> asio::awaitable<std::optional<std::string>> {
        co_return answers.trouble();
    };
    auto trouble = co_await asio::co_spawn(checks, ask(), asio::use_awaitable);
    co_return trouble ? respond(http::status::service_unavailable, std::move(*trouble))
                      : respond(http::status::ok, "ok");
}

asio::awaitable<Response> answer(const Answers& answers, asio::thread_pool& checks,
                                 const Request& request) {
    if (request.method() != http::verb::get)
        co_return respond(http::status::method_not_allowed, "Ask with GET.");
    if (request.target() == "/metrics") {
        co_return respond(http::status::ok, "text/plain; version=0.0.4; charset=utf-8",
                          answers.metrics());
    }
    if (request.target() != "/health")
        co_return respond(http::status::not_found, "There are /health and /metrics.");
    co_return co_await health(answers, checks);
}

asio::awaitable<void> converse(Stream stream, const Answers& answers, asio::thread_pool& checks) {
    beast::flat_buffer buffer{max_request};
    Request request;
    stream.expires_after(patience);
    co_await http::async_read(stream, buffer, request, asio::use_awaitable);
    const Response response = co_await answer(answers, checks, request);
    co_await http::async_write(stream, response, asio::use_awaitable);
    beast::error_code ignored;
    stream.socket().shutdown(Protocol::socket::shutdown_send, ignored);
}

/// Ignores errors of the connection (the client went away, sent nothing or no HTTP), and logs
/// errors in making the answer.
void note(std::exception_ptr failure) {
    if (!failure) return;
    try {
        std::rethrow_exception(std::move(failure));
    } catch (const boost::system::system_error&) { // NOLINT(bugprone-empty-catch): theirs
    } catch (const std::exception& error) {
        log(Level::warning, "metrics not told", {{"error", loggable(error)}});
    }
}

} // namespace

class Server::Loop {
public:
    Loop(Listener listener, Answers answers)
        : listener_{std::move(listener)},
          answers_{std::move(answers)},
          acceptor_{context_, Protocol{}, ::dup(listener_.fd())} {
        asio::co_spawn(context_, accept(), note);
        asio::co_spawn(context_, sample(), note);
        thread_ = std::thread{[this] { context_.run(); }};
    }
    ~Loop() {
        context_.stop();
        thread_.join();
    }
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

private:
    asio::awaitable<void> accept() {
        for (;;) {
            auto [error, socket] =
                co_await acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
            if (error)
                co_await pause(); // out of descriptors, mostly
            else
                asio::co_spawn(context_, converse(Stream{std::move(socket)}, answers_, checks_),
                               note);
        }
    }

    asio::awaitable<void> sample() {
        for (;;) { // whatever goes wrong: it may go well the next time
            try {
                answers_.sample();
            } catch (...) {
                note(std::current_exception());
            }
            co_await pause();
        }
    }

    asio::awaitable<void> pause() {
        asio::steady_timer timer{context_, std::chrono::seconds{1}};
        co_await timer.async_wait(asio::use_awaitable);
    }

    Listener listener_;
    Answers answers_;
    asio::io_context context_{1};
    asio::thread_pool checks_{1};
    Protocol::acceptor acceptor_;
    std::thread thread_;
};

Server::Server(Listener listener, Answers answers)
    : loop_{std::make_unique<Loop>(std::move(listener), std::move(answers))} {}

Server::~Server() = default;

} // namespace usershell::metrics
