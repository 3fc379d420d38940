#include "execute/calls/call_endings.hpp"

#include "base/logging/log.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>

namespace usershell::execute {
namespace {

/// At most: what they do next on the loop is one step of it.
constexpr std::size_t max_together = 32;

} // namespace

/// From when it is in the list, another thread may end the call, and the loop go on with the task,
/// which destroys this object.
void CallEndings::Awaiter::await_suspend(std::coroutine_handle<> waiting) {
    task = waiting;
    CallEndings& endings = all;
    {
        const std::scoped_lock lock{endings.mutex_};
        endings.waiting_.push_back(this);
        if (std::exchange(endings.works_, true)) return;
    }
    start(endings.work());
}

Task<> CallEndings::work() {
    do {
        co_await threads_.enter();
        const std::vector<Awaiter*> batch = take();
        std::vector<store::CallEnd> ends;
        ends.reserve(batch.size());
        for (Awaiter* each : batch) ends.push_back(std::move(each->end));
        end_here(ends);
        co_await loop_.enter();
        for (const Awaiter* each : batch) loop_.resume(each->task);
    } while (goes_on());
}

/// False: no call waits, and the next one begins work() again.
bool CallEndings::goes_on() {
    const std::scoped_lock lock{mutex_};
    works_ = !waiting_.empty();
    return works_;
}

/// The calls that have waited longest.
std::vector<CallEndings::Awaiter*> CallEndings::take() {
    const std::scoped_lock lock{mutex_};
    const auto count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), max_together));
    std::vector<Awaiter*> batch{waiting_.begin(), waiting_.begin() + count};
    waiting_.erase(waiting_.begin(), waiting_.begin() + count);
    return batch;
}

void CallEndings::end_here(const std::vector<store::CallEnd>& ends) {
    try {
        store::Lease lease{database_};
        store::end_calls(lease, ends);
    } catch (const std::exception& error) {
        log(Level::warning, "calls left to expire",
            {{"count", std::to_string(ends.size())}, {"error", loggable(error)}});
    }
}

} // namespace usershell::execute
