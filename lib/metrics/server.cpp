#include "metrics/server.hpp"

#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "runtime/blocking_pool.hpp"
#include "runtime/loop.hpp"
#include "runtime/signals.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <exception>
#include <string_view>
#include <thread>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>

namespace usershell::metrics {
namespace {

constexpr std::chrono::seconds patience{5}; ///< for a whole conversation
constexpr std::chrono::seconds interval{1}; ///< of samples
constexpr std::size_t max_head = 8192;

std::string response(std::string_view status, std::string_view type, const std::string& body) {
    std::string text{"HTTP/1.1 "};
    text.append(status).append("\r\nContent-Type: ").append(type);
    text += "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size());
    return text + "\r\n\r\n" + body;
}

std::string sentence(std::string_view status, const std::string& text) {
    return response(status, "text/plain; charset=utf-8", text + '\n');
}

/// Takes the text up to the next space off `line`.
std::string_view take_word(std::string_view& line) {
    const auto word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    return word;
}

void note(const std::exception& failure) {
    log(Level::warning, "metrics not told", {{"error", loggable(failure)}});
}

/// A client's socket. Its tasks wait for the client, until a deadline or the server's end.
class Connection final : Loop::Watcher, Loop::Timer, CancellationToken::Listener {
public:
    Connection(Loop& loop, Descriptor socket, CancellationToken& end)
        : Timer{loop},
          loop_{loop},
          socket_{std::move(socket)},
          end_{end},
          ready_{loop} {
        set(Loop::Clock::now() + patience);
        end_.add(*this);
    }
    ~Connection() override {
        end_.remove(*this);
        loop_.forget(socket_.get());
    }

    /// The lines up to the empty one; empty when the client sends no such head.
    Task<std::string> read_head() {
        std::string head;
        std::array<char, 1024> piece; // NOLINT(*-member-init): recv fills it
        while (head.size() <= max_head) {
            const bool in_time = co_await wait(EPOLLIN);
            if (!in_time) break;
            const ssize_t count = ::recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
            if (count == 0 || (count < 0 && errno != EAGAIN)) break;
            if (count > 0) head.append(piece.data(), static_cast<std::size_t>(count));
            if (head.find("\r\n\r\n") != std::string::npos) co_return head;
        }
        co_return std::string{};
    }

    Task<> write(std::string_view text) {
        while (!text.empty()) {
            const bool in_time = co_await wait(EPOLLOUT);
            if (!in_time) break;
            const ssize_t count =
                ::send(socket_.get(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
            if (count < 0 && errno != EAGAIN) break;
            if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
        }
    }

private:
    /// False when the time is over.
    Task<bool> wait(std::uint32_t events) {
        if (over_) co_return false;
        ready_.reset();
        loop_.watch(socket_.get(), events, *this);
        co_await ready_.wait();
        loop_.forget(socket_.get());
        co_return !over_;
    }

    void on_ready(int /*descriptor*/, std::uint32_t /*events*/) override { ready_.set(); }
    void on_due() override { on_cancelled(); }
    void on_cancelled() override {
        over_ = true;
        ready_.set();
    }

    Loop& loop_;
    Descriptor socket_;
    CancellationToken& end_;
    AsyncEvent ready_;
    bool over_ = false;
};

} // namespace

class Server::Service final : Loop::Watcher {
public:
    Service(Listener listener, Sources sources)
        : listener_{std::move(listener)},
          sources_{std::move(sources)} {
        tick_.set(Loop::Clock::now());
        thread_ = std::thread{[this] { loop_.run(); }};
    }
    ~Service() {
        start(stop());
        thread_.join();
    }
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

private:
    struct Tick final : Loop::Timer {
        explicit Tick(Service& of) : Timer{of.loop_}, service{of} {}
        void on_due() override { service.tick(); }
        Service& service;
    };

    void tick() {
        loop_.watch(listener_.fd(), EPOLLIN, *this); // again, after on_ready() has failed
        start(sample());
    }

    Task<> sample() {
        ++tasks_;
        co_await checks_.enter();
        try {
            sources_.sample();
        } catch (const std::exception& error) {
            note(error);
        }
        co_await loop_.enter();
        if (!end_.is_cancelled()) tick_.set(Loop::Clock::now() + interval);
        leave();
    }

    void leave() {
        if (--tasks_ == 0 && end_.is_cancelled()) loop_.stop();
    }

    void on_ready(int listener, std::uint32_t /*events*/) override {
        Descriptor socket{::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
        if (socket)
            start(converse(std::move(socket)));
        else if (errno != EAGAIN && errno != ECONNABORTED)
            loop_.forget(listener); // out of descriptors, mostly
    }

    Task<> converse(Descriptor socket) {
        ++tasks_;
        {
            Connection connection{loop_, std::move(socket), end_};
            const std::string head = co_await connection.read_head();
            std::string text;
            try {
                text = co_await answer(head);
            } catch (const std::exception& error) {
                note(error);
            }
            co_await loop_.enter();
            co_await connection.write(text);
        }
        leave();
    }

    /// Empty when that is no head of HTTP's. May end on the thread of `checks_`.
    Task<std::string> answer(std::string_view head) {
        std::string_view line = head.substr(0, head.find("\r\n"));
        const auto method = take_word(line);
        const auto target = take_word(line);
        if (!line.starts_with("HTTP/1.")) co_return std::string{};
        if (method != "GET") co_return sentence("405 Method Not Allowed", "Ask with GET.");
        if (target == "/metrics")
            co_return response("200 OK", "text/plain; version=0.0.4; charset=utf-8", metrics());
        if (target != "/health")
            co_return sentence("404 Not Found", "There are /health and /metrics.");
        co_await checks_.enter();
        co_return health();
    }

    std::string metrics() const {
        std::string text = sources_.constants;
        for (const Registry* const registry : sources_.registries) text += registry->text();
        return text;
    }

    std::string health() const {
        constexpr std::string_view not_healthy = "503 Service Unavailable";
        try {
            sources_.require_store();
        } catch (const Error& error) {
            return sentence(not_healthy, error.what());
        } catch (const Refusal& refusal) {
            return sentence(not_healthy, refusal.sentence().english());
        }
        return sentence("200 OK", "ok");
    }

    /// The loop ends after its last task.
    Task<> stop() {
        co_await loop_.enter();
        tick_.clear();
        loop_.forget(listener_.fd());
        end_.cancel();
        if (tasks_ == 0) loop_.stop();
    }

    Listener listener_;
    Sources sources_;
    Loop loop_;
    BlockingPool checks_{loop_, 1, "health"}; ///< for the database, which may hang
    CancellationToken end_;
    std::size_t tasks_ = 0;
    Tick tick_{*this};
    std::thread thread_;
};

Server::Server(Listener listener, Sources sources)
    : service_{std::make_unique<Service>(std::move(listener), std::move(sources))} {}

Server::~Server() = default;

} // namespace usershell::metrics
