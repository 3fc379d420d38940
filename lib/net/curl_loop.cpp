#include "net/curl_loop.hpp"

#include <algorithm>

#include <sys/epoll.h>

namespace usershell::net {
namespace {

template <class Value>
void set_multi(CURLM* multi, CURLMoption option, Value value) {
    if ((curl_multi_setopt)(multi, option, value) != CURLM_OK) throw std::bad_alloc{};
}

/// CURL_POLL_INOUT has the bits of both.
std::uint32_t events_of(int wanted) {
    std::uint32_t events = 0;
    if ((wanted & CURL_POLL_IN) != 0) events |= EPOLLIN;
    if ((wanted & CURL_POLL_OUT) != 0) events |= EPOLLOUT;
    return events;
}

int curl_events_of(std::uint32_t events) {
    return ((events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
           ((events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
           ((events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
}

} // namespace

CurlLoop::CurlLoop(Loop& loop, long max_idle)
    : Timer{loop},
      loop_{loop},
      max_idle_{max_idle},
      multi_{new_multi()} {
    CURLM* const multi = multi_.get();
    set_multi(multi, CURLMOPT_SOCKETFUNCTION, &CurlLoop::on_socket);
    set_multi(multi, CURLMOPT_SOCKETDATA, this);
    set_multi(multi, CURLMOPT_TIMERFUNCTION, &CurlLoop::on_timer);
    set_multi(multi, CURLMOPT_TIMERDATA, this);
}

void CurlLoop::add(CURL* easy) {
    if (curl_multi_add_handle(multi_.get(), easy) != CURLM_OK) throw std::bad_alloc{};
    ++transfers_;
    limit_connections();
}

void CurlLoop::remove(CURL* easy) {
    curl_multi_remove_handle(multi_.get(), easy);
    --transfers_;
    limit_connections();
}

/// libcurl looks at the limit when a transfer ends, and counts the connections that are in use as
/// well; the transfer is one of ours until then.
void CurlLoop::limit_connections() {
    set_multi(multi_.get(), CURLMOPT_MAXCONNECTS, std::max(transfers_ - 1, 0L) + max_idle_);
}

void CurlLoop::on_ready(int descriptor, std::uint32_t events) {
    act(descriptor, curl_events_of(events));
}

void CurlLoop::on_due() { act(CURL_SOCKET_TIMEOUT, 0); }

void CurlLoop::act(curl_socket_t socket, int events) {
    const auto owner = owners_.find(socket);
    Ended* const transfer = owner == owners_.end() ? nullptr : owner->second;
    {
        const CallBudget::Step step{transfer ? transfer->budget() : nullptr};
        int running = 0;
        curl_multi_socket_action(multi_.get(), socket, events, &running);
    }
    // No transfer is destroyed in here: tasks are resumed later.
    if (transfer) transfer->on_work();
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        const CURLcode code = message->data.result;
        void* ended = nullptr;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &ended);
        static_cast<Ended*>(ended)->on_end(code);
    }
}

// An exception must not pass through libcurl; without a descriptor's watch the transfer would
// stand still until its deadline.
int CurlLoop::on_socket(CURL* easy, curl_socket_t socket, int wanted, void* self, void*) {
    auto& all = *static_cast<CurlLoop*>(self);
    try {
        if (wanted == CURL_POLL_REMOVE) {
            all.owners_.erase(socket);
            all.loop_.forget(socket);
            return 0;
        }
        void* owner = nullptr;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &owner);
        all.owners_[socket] = static_cast<Ended*>(owner);
        all.loop_.watch(socket, events_of(wanted), all);
        return 0;
    } catch (...) {
        return -1;
    }
}

int CurlLoop::on_timer(CURLM*, long milliseconds, void* self) {
    auto& timer = *static_cast<CurlLoop*>(self);
    if (milliseconds < 0)
        timer.clear();
    else
        timer.set(Loop::Clock::now() + std::chrono::milliseconds{milliseconds});
    return 0;
}

} // namespace usershell::net
