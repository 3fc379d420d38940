// The provider that the bench calls: speaks OpenAI's streamed chat completions over plain HTTP/1.1
// to any number of callers from one thread. The path says how: POST /40x25/… answers with 40
// tokens, one every 25 ms, the first after 25 ms; the head goes out at once.
//
//     bench_upstream      listens on a free port of 127.0.0.1 and prints it. A caller that leaves
//                         in mid-answer is told by a line "left NANOSECONDS" (CLOCK_MONOTONIC).
#include "upstream_connection.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <queue>
#include <stdexcept>
#include <unordered_map>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace usershell::bench {
namespace {

class Upstream {
public:
    Upstream()
        : listener_{socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)},
          epoll_{epoll_create1(EPOLL_CLOEXEC)} {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        const auto place = reinterpret_cast<sockaddr*>(&address);
        if (bind(listener_, place, size) != 0 || listen(listener_, SOMAXCONN) != 0) {
            throw std::runtime_error{"no port to listen on"};
        }
        getsockname(listener_, place, &size);
        watch(listener_);
        std::printf("%d\n", ntohs(address.sin_port));
        (void)std::fflush(stdout);
    }

    [[noreturn]] void run() {
        for (;;) {
            std::array<epoll_event, 512> events{};
            const int count = epoll_wait(epoll_, events.data(), events.size(), until_next());
            for (int e = 0; e < count; ++e) serve(events[static_cast<std::size_t>(e)].data.fd);
            write_due_tokens();
        }
    }

private:
    struct Due {
        Clock::time_point when;
        int descriptor;
        bool operator<(const Due& other) const { return when > other.when; } // the earliest on top
    };

    void watch(int descriptor) const {
        epoll_event event{.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data = {.fd = descriptor}};
        epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
    }

    /// Milliseconds.
    int until_next() const {
        if (due_.empty()) return -1;
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(due_.top().when - Clock::now());
        return std::max(0, static_cast<int>(left.count()));
    }

    void serve(int descriptor) {
        if (descriptor == listener_)
            accept_all();
        else
            with(descriptor, &UpstreamConnection::on_input);
    }

    void accept_all() {
        const int on = 1;
        for (;;) {
            const int descriptor =
                accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (descriptor < 0 && errno != EAGAIN) throw std::runtime_error{"can't accept"};
            if (descriptor < 0) return;
            setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            connections_[descriptor] = std::make_unique<UpstreamConnection>(descriptor);
            watch(descriptor);
        }
    }

    void with(int descriptor, bool (UpstreamConnection::*step)()) {
        const auto found = connections_.find(descriptor);
        if (found == connections_.end()) return;
        UpstreamConnection& connection = *found->second;
        const auto before = connection.due();
        if (!(connection.*step)()) {
            if (before) tell_left();
            connections_.erase(found);
        } else if (connection.due() && connection.due() != before) {
            due_.push({*connection.due(), descriptor});
        }
    }

    static void tell_left() {
        const auto now = Clock::now().time_since_epoch();
        std::printf("left %lld\n", static_cast<long long>(std::chrono::nanoseconds{now}.count()));
        (void)std::fflush(stdout);
    }

    void write_due_tokens() {
        while (!due_.empty() && due_.top().when <= Clock::now()) {
            const Due next = due_.top();
            due_.pop();
            const auto found = connections_.find(next.descriptor);
            // Another connection may have the descriptor by now.
            if (found != connections_.end() && found->second->due() == next.when) {
                with(next.descriptor, &UpstreamConnection::on_time);
            }
        }
    }

    int listener_;
    int epoll_;
    std::unordered_map<int, std::unique_ptr<UpstreamConnection>> connections_;
    std::priority_queue<Due> due_;
};

} // namespace
} // namespace usershell::bench

int main() {
    try {
        usershell::bench::Upstream{}.run();
    } catch (const std::exception& error) {
        (void)std::fprintf(stderr, "bench_upstream: %s\n", error.what());
        return 1;
    }
}
