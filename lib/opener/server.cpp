#include "opener/server.hpp"

#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "opener/wire/transfer.hpp"

#include <array>
#include <cerrno>
#include <exception>
#include <string>
#include <utility>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace usershell::opener {

namespace {

constexpr std::chrono::milliseconds pause_after_failure{100}; ///< out of descriptors, mostly

/// Wakes one thread for each connection, and all for the stop.
Descriptor watch_of(int listener, int stop) {
    Descriptor watch{::epoll_create1(EPOLL_CLOEXEC)};
    epoll_event one{.events = EPOLLIN | EPOLLEXCLUSIVE, .data = {.fd = listener}};
    epoll_event all{.events = EPOLLIN, .data = {.fd = stop}};
    if (!watch || ::epoll_ctl(watch.get(), EPOLL_CTL_ADD, listener, &one) != 0 ||
        ::epoll_ctl(watch.get(), EPOLL_CTL_ADD, stop, &all) != 0)
        throw SystemError{"epoll"};
    return watch;
}

} // namespace

Server::Server(Listener listener, std::size_t threads, Handler handler, ServerLimits limits)
    : listener_{std::move(listener)},
      handler_{std::move(handler)},
      limits_{limits},
      stop_{::eventfd(0, EFD_CLOEXEC)} {
    if (!stop_) throw SystemError{"eventfd"};
    for (std::size_t i = 0; i < threads; ++i)
        threads_.emplace_back([this, watch = watch_of(listener_.fd(), stop_.get())] {
            while (wait_for_one(watch)) take_one();
        });
}

Server::~Server() {
    ::eventfd_write(stop_.get(), 1);
    for (std::thread& each : threads_) each.join();
}

/// False once it shall stop.
bool Server::wait_for_one(const Descriptor& watch) const {
    std::array<epoll_event, 2> events{};
    const int count = ::epoll_wait(watch.get(), events.data(), events.size(), -1);
    for (int i = 0; i < count; ++i)
        if (events.at(static_cast<std::size_t>(i)).data.fd == stop_.get()) return false;
    return true;
}

void Server::take_one() const {
    const Descriptor socket{
        ::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (!socket) {
        if (errno == EAGAIN || errno == ECONNABORTED) return;
        log(Level::warning, "connection refused", {{"error", std::string{::strerror(errno)}}});
        return std::this_thread::sleep_for(pause_after_failure);
    }
    try {
        converse(socket.get());
    } catch (const std::exception& error) {
        log(Level::warning, "connection ended", {{"error", loggable(error)}});
    }
}

void Server::converse(int socket) const {
    using std::chrono::steady_clock;
    const auto question =
        receive_message(socket, max_question, steady_clock::now() + limits_.question);
    if (!question) throw Malformed{};
    send_message(socket, answer_to(*question), steady_clock::now() + limits_.answer);
}

WipedString Server::answer_to(std::string_view bytes) const {
    const Question question = read_question(bytes);
    try {
        return handler_(question);
    } catch (const Refusal& refusal) {
        if (refusal.code() == ErrorCode::unavailable) return encoded(Trouble::unavailable);
        log(Level::error, "opening failed", {{"error", std::string{name_of(refusal.code())}}});
    } catch (const std::exception& error) {
        log(Level::error, "opening failed", {{"error", loggable(error)}});
    }
    return encoded(Trouble::failed);
}

} // namespace usershell::opener
