#include "runtime/process.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <elf.h>
#include <link.h>
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

namespace {

std::size_t padded(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

/// The id among the notes of a segment; empty when it is not there.
std::string_view find_id(std::string_view notes) {
    while (notes.size() > sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) header{};
        std::memcpy(&header, notes.data(), sizeof header);
        const std::size_t id_at = sizeof header + padded(header.n_namesz);
        if (header.n_type == NT_GNU_BUILD_ID) return notes.substr(id_at, header.n_descsz);
        notes.remove_prefix(std::min(notes.size(), id_at + padded(header.n_descsz)));
    }
    return {};
}

/// Called for each object that is loaded, the program first; ends the walk there.
int read_program(dl_phdr_info* object, std::size_t, void* into) {
    for (ElfW(Half) i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object->dlpi_phdr[i];
        if (segment.p_type != PT_NOTE) continue;
        // An address is a number to the loader. NOLINTNEXTLINE(performance-no-int-to-ptr)
        const auto* notes = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
        const std::string_view id = find_id({notes, segment.p_memsz});
        if (!id.empty()) *static_cast<std::string*>(into) = hex(id);
    }
    return 1;
}

} // namespace

const std::string& build_id() {
    static const std::string id = [] {
        std::string found;
        dl_iterate_phdr(read_program, &found);
        if (found.empty()) throw Error{"This program was linked without a build id."};
        return found;
    }();
    return id;
}

} // namespace usershell
