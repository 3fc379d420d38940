#include "runtime/process.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include <malloc.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

namespace usershell {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

} // namespace

void block_signals() {
    sigset_t signals;
    sigfillset(&signals);
    for (const int fault : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP})
        sigdelset(&signals, fault);
    ::pthread_sigmask(SIG_SETMASK, &signals, nullptr);
}

// Left alone, glibc learns from the first response of some MiB to keep blocks of that size, for
// every thread's arena: 200 MiB of a worker that needs 25. It would also make an arena for each
// thread. A call frees on the loop memory that its request's thread has taken, and an arena keeps
// free memory for itself; so there is one. Small blocks come from each thread's own cache, without
// waiting for it.
void keep_little_memory() {
    ::mallopt(M_MMAP_THRESHOLD, 256 * 1024);
    ::mallopt(M_ARENA_MAX, 1);
}

void allow_all_descriptors() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

StopSignals::StopSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    descriptor_ = Descriptor{::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK)};
    if (!descriptor_) throw SystemError{"signalfd"};
}

bool StopSignals::received() const {
    signalfd_siginfo info{};
    return ::read(fd(), &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info));
}

void notify_ready() { ::sd_notify(0, "READY=1"); }

void notify_stopping() { ::sd_notify(0, "STOPPING=1"); }

Watchdog::Watchdog() {
    std::uint64_t allowed = 0;
    if (::sd_watchdog_enabled(0, &allowed) <= 0) return;
    // Twice in the time allowed, as sd_watchdog_enabled(3) recommends.
    const std::chrono::microseconds half{allowed / 2};
    interval_ = std::max(milliseconds{1}, std::chrono::floor<milliseconds>(half));
}

void Watchdog::notify() {
    if (!interval_ || Clock::now() < next_) return;
    ::sd_notify(0, "WATCHDOG=1");
    next_ = Clock::now() + *interval_;
}

milliseconds Watchdog::time_left() const {
    constexpr milliseconds minute{60'000};
    if (!interval_) return minute;
    const auto left = std::chrono::ceil<milliseconds>(next_ - Clock::now());
    return std::clamp(left, milliseconds{0}, minute);
}

void wait_until_stopped() {
    const StopSignals signals;
    Watchdog watchdog;
    notify_ready();
    while (!signals.received()) {
        watchdog.notify();
        pollfd watched{signals.fd(), POLLIN, 0};
        ::poll(&watched, 1, static_cast<int>(watchdog.time_left().count()));
    }
    notify_stopping();
}

} // namespace usershell
