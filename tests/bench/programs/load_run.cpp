#include "load_run.hpp"

#include <array>
#include <iostream>
#include <stdexcept>

#include <sys/epoll.h>
#include <unistd.h>

namespace usershell::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_handshakes = 128; ///< at the same time: a listener's backlog is finite
constexpr auto patience = 120s;              ///< for answers under way at the end

SSL_CTX* client_tls(const std::string& authority) {
    if (authority.empty()) return nullptr;
    SSL_CTX* const tls = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_mode(tls, SSL_MODE_RELEASE_BUFFERS);
    if (SSL_CTX_load_verify_locations(tls, authority.c_str(), nullptr) != 1) {
        throw std::runtime_error{"no authority in " + authority};
    }
    return tls;
}

bool is_streaming(const LoadConnection& connection) {
    return connection.state() == LoadConnection::State::waiting &&
           connection.answer().status() == 200;
}

} // namespace

LoadRun::LoadRun(const LoadOptions& options)
    : options_{options},
      tls_{client_tls(options.authority)},
      epoll_{epoll_create1(EPOLL_CLOEXEC)},
      connections_(static_cast<std::size_t>(options.connections)),
      sent_(connections_.size()) {}

LoadRun::~LoadRun() { close(epoll_); }

LoadReport LoadRun::run() {
    if (options_.rate == 0) connect_all();
    begun_ = Clock::now();
    has_begun_ = true;
    for (std::size_t i = 0; i < opened_; ++i) send(i);
    while (!is_over()) {
        open_what_is_due();
        wait();
    }
    report_.time = Clock::now() - begun_;
    report_.unfinished = under_way_;
    return std::move(report_);
}

void LoadRun::connect_all() {
    while (opened_ < connections_.size() || connecting_ > 0) {
        while (opened_ < connections_.size() && connecting_ < most_handshakes) open(opened_++);
        wait();
    }
}

void LoadRun::open_what_is_due() {
    const std::chrono::duration<double> since = Clock::now() - begun_;
    const auto due = static_cast<std::size_t>(since.count() * options_.rate);
    while (is_time() && opened_ < connections_.size() && opened_ < due) open(opened_++);
}

void LoadRun::open(std::size_t i) {
    connections_[i] = std::make_unique<LoadConnection>(options_.marks, options_.port, tls_.get());
    ++connecting_;
    epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLET, .data = {.u64 = i}};
    epoll_ctl(epoll_, EPOLL_CTL_ADD, connections_[i]->descriptor(), &event);
}

void LoadRun::send(std::size_t i) {
    if (!connections_[i]) return;
    ++under_way_;
    const std::size_t number = i + (options_.rotate ? sent_[i]++ * connections_.size() : 0);
    connections_[i]->send(options_.requests[number % options_.requests.size()]);
}

void LoadRun::wait() {
    std::array<epoll_event, 512> events{};
    const int count = epoll_wait(epoll_, events.data(), events.size(), 1);
    for (int e = 0; e < count; ++e) serve(events[static_cast<std::size_t>(e)].data.u64);
}

void LoadRun::serve(std::size_t i) {
    using enum LoadConnection::State;
    if (!connections_[i]) return;
    LoadConnection& connection = *connections_[i];
    const auto before = connection.state();
    const bool was_streaming = is_streaming(connection);
    connection.on_event();
    const auto now = connection.state();
    if (before == connecting && now != connecting) --connecting_;
    if (was_streaming && !is_streaming(connection)) --streaming_;
    if (!was_streaming && is_streaming(connection)) note_open();
    if (now == lost)
        lose(i, before);
    else if (before == connecting && now == idle && has_begun_)
        send(i);
    else if (before == waiting && now == answered)
        take_answer(i);
}

void LoadRun::note_open() {
    report_.open_most = std::max(report_.open_most, ++streaming_);
    if (streaming_ < connections_.size() || told_) return;
    told_ = true;
    std::cout << "open" << std::endl;
}

void LoadRun::take_answer(std::size_t i) {
    const LoadConnection& connection = *connections_[i];
    --under_way_;
    ++report_.statuses[connection.answer().status()];
    if (connection.answer().is_whole()) {
        ++report_.requests;
        if (connection.sent_at() - begun_ >= options_.warm) note_times(connection);
    } else {
        ++report_.failed;
    }
    go_on(i);
}

void LoadRun::note_times(const LoadConnection& connection) {
    report_.whole.push_back(Clock::now() - connection.sent_at());
    if (!connection.answer().first_seen()) return;
    report_.first.push_back(connection.first_at() - connection.sent_at());
}

void LoadRun::go_on(std::size_t i) {
    if (options_.once || !is_time())
        connections_[i].reset();
    else if (connections_[i]->answer().closes())
        open(i);
    else
        send(i);
}

void LoadRun::lose(std::size_t i, LoadConnection::State before) {
    ++report_.failed;
    if (before == LoadConnection::State::waiting) --under_way_;
    connections_[i].reset();
}

bool LoadRun::is_time() const { return Clock::now() - begun_ < options_.time; }

bool LoadRun::is_quiet() const { return under_way_ == 0 && connecting_ == 0; }

bool LoadRun::is_over() const {
    if (is_time()) return opened_ == connections_.size() && is_quiet();
    return options_.linger || is_quiet() || Clock::now() - begun_ > options_.time + patience;
}

} // namespace usershell::bench
