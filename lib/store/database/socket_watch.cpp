#include "store/database/socket_watch.hpp"

#include <sys/socket.h>

namespace usershell::store {

SocketWatch::SocketWatch() : thread_{[this] { run(); }} {}

SocketWatch::~SocketWatch() {
    {
        const std::scoped_lock lock{mutex_};
        over_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void SocketWatch::begin(int socket, Clock::time_point until) {
    const std::scoped_lock lock{mutex_};
    waits_.insert_or_assign(socket, until);
    if (idle_) changed_.notify_one();
}

void SocketWatch::end(int socket) {
    const std::scoped_lock lock{mutex_};
    waits_.erase(socket);
}

// It looks at fixed intervals, and only while there are waits: no statement wakes it.
void SocketWatch::run() {
    std::unique_lock lock{mutex_};
    for (;;) {
        idle_ = waits_.empty();
        if (idle_) {
            changed_.wait(lock, [this] { return over_ || !waits_.empty(); });
            idle_ = false;
        }
        if (changed_.wait_for(lock, precision, [this] { return over_; })) return;
        const auto now = Clock::now();
        std::erase_if(waits_, [now](const auto& wait) {
            if (wait.second > now) return false;
            ::shutdown(wait.first, SHUT_RDWR);
            return true;
        });
    }
}

} // namespace usershell::store
