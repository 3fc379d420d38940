#include "opener/server.hpp"

#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "opener/wire/packets.hpp"

#include <array>
#include <cerrno>
#include <exception>
#include <string>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace usershell::opener {

namespace {

constexpr int pause_after_failure = 100; ///< milliseconds: out of descriptors, mostly

void limit(int socket, int option, std::chrono::seconds time) {
    const timeval value{.tv_sec = time.count(), .tv_usec = 0};
    if (::setsockopt(socket, SOL_SOCKET, option, &value, sizeof(value)) != 0)
        throw SystemError{"setsockopt"};
}

} // namespace

Server::Server(Listener listener, Handler handler, ServerLimits limits)
    : listener_{std::move(listener)},
      handler_{std::move(handler)},
      limits_{limits},
      stop_{::eventfd(0, EFD_CLOEXEC)} {
    if (!stop_) throw SystemError{"eventfd"};
    thread_ = std::thread{[this] { accept_until_stopped(); }};
}

// A request that is in a socket's queue is read before the end that shutdown(2) makes.
Server::~Server() {
    ::eventfd_write(stop_.get(), 1);
    thread_.join();
    for (const Connection& each : connections_) ::shutdown(each.socket.get(), SHUT_RD);
    for (Connection& each : connections_) each.thread.join();
}

void Server::accept_until_stopped() {
    for (;;) {
        std::array watched{pollfd{stop_.get(), POLLIN, 0}, pollfd{listener_.fd(), POLLIN, 0}};
        ::poll(watched.data(), watched.size(), -1);
        if (watched[0].revents != 0) return;
        Descriptor socket{::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC)};
        try {
            if (socket)
                take(std::move(socket));
            else if (errno != EAGAIN && errno != ECONNABORTED)
                throw SystemError{"accept"};
        } catch (const std::exception& error) {
            log(Level::warning, "connection refused", {{"error", loggable(error)}});
            ::poll(watched.data(), 1, pause_after_failure);
        }
    }
}

void Server::take(Descriptor socket) {
    connections_.remove_if([](Connection& each) {
        if (!each.has_ended) return false;
        each.thread.join();
        return true;
    });
    if (connections_.size() >= limits_.connections)
        return log(Level::warning, "connection refused", {{"error", "too many are open"}});
    limit(socket.get(), SO_RCVTIMEO, limits_.silence);
    limit(socket.get(), SO_SNDTIMEO, limits_.unread);
    Connection& connection = connections_.emplace_back(std::move(socket));
    try {
        connection.thread = std::thread{[this, &connection] { converse(connection); }};
    } catch (...) {
        connections_.pop_back();
        throw;
    }
}

void Server::converse(Connection& connection) {
    const int socket = connection.socket.get();
    ++open_;
    try {
        WipedString request;
        while (receive_request(socket, request, max_request) &&
               send_answer(socket, encoded(answer_to(request)))) {
        }
    } catch (const std::exception& error) {
        log(Level::warning, "connection ended", {{"error", loggable(error)}});
    }
    ::shutdown(socket, SHUT_RDWR); // the client sees the end now; closed when the thread is joined
    --open_;
    connection.has_ended = true;
}

Answer Server::answer_to(std::string_view packet) const {
    const Request request = read_request(packet);
    try {
        return handler_(request);
    } catch (const Refusal& refusal) {
        if (refusal.code() == ErrorCode::unavailable) return Trouble::unavailable;
        log(Level::error, "opening failed", {{"error", std::string{name_of(refusal.code())}}});
    } catch (const std::exception& error) {
        log(Level::error, "opening failed", {{"error", loggable(error)}});
    }
    return Trouble::failed;
}

} // namespace usershell::opener
