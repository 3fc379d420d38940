#include "runtime/stall_watch.hpp"

#include "base/ascii.hpp"
#include "base/logging/log.hpp"
#include "runtime/call_memory.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/resource.h>

namespace usershell {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

#if defined(__SANITIZE_THREAD__)
constexpr milliseconds max_work{2000};
#else
constexpr milliseconds max_work{500};
#endif
constexpr milliseconds max_sleep{2000};

thread_local bool watched = false;

/// The second number of schedstat: nanoseconds spent waiting on a run queue.
nanoseconds run_queue_wait(int statistics) {
    std::array<char, 96> text{};
    if (::pread(statistics, text.data(), text.size() - 1, 0) <= 0) return {};
    const std::string_view line{text.data()};
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return {};
    const std::string_view second = line.substr(space + 1);
    return nanoseconds{parse_number<long long>(second.substr(0, second.find(' '))).value_or(0)};
}

std::string in_ms(nanoseconds time) {
    return std::to_string(std::chrono::duration_cast<milliseconds>(time).count());
}

} // namespace

void assert_may_wait(std::string_view for_what) {
    if (!watched) return;
    log_last(Level::error, "event loop blocked", {{"waits_for", std::string{for_what}}});
    std::abort();
}

StallWatch::Reading StallWatch::read() const {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    return {CallBudget::passing_time(), CallBudget::thread_time(),
            run_queue_wait(statistics_.get()), usage.ru_nvcsw};
}

StallWatch::StallWatch()
    : statistics_{::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)} {
    watched = true;
}

StallWatch::~StallWatch() { watched = false; }

void StallWatch::begin() { begun_ = read(); }

void StallWatch::end() const {
    const Reading now = read();
    const auto worked = now.worked - begun_.worked;
    const auto asleep = now.sleeps == begun_.sleeps
                            ? nanoseconds{0}
                            : now.wall - begun_.wall - worked - (now.held_up - begun_.held_up);
    if (worked <= max_work && asleep <= max_sleep) return;
    log_last(Level::error, "event loop blocked",
             {{"worked_ms", in_ms(worked)}, {"asleep_ms", in_ms(asleep)}});
    std::abort();
}

} // namespace usershell
