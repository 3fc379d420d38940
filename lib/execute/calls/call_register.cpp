#include "execute/calls/call_register.hpp"

#include "base/error.hpp"
#include "runtime/descriptor.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <unordered_set>

#include <fcntl.h>
#include <malloc.h>

namespace usershell::execute {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds trim_interval{10};
constexpr std::size_t min_burst = 64; ///< calls that leave too little behind to be looked for

/// Bytes of this process that are in memory; 0 when the kernel does not tell. The second number of
/// /proc/self/statm, in pages.
std::size_t resident_bytes() {
    static const Descriptor statm{::open("/proc/self/statm", O_RDONLY | O_CLOEXEC)};
    static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::array<char, 128> text{};
    const ssize_t size = ::pread(statm.get(), text.data(), text.size(), 0);
    const char* const begin = text.data();
    const char* const end = begin + std::max<ssize_t>(size, 0);
    const char* const blank = std::find(begin, end, ' ');
    std::size_t pages = 0;
    if (blank != end) std::from_chars(blank + 1, end, pages);
    return pages * page;
}

} // namespace

CallRegister::Slot::Slot(CallRegister& all) : all_{all} {
    const std::scoped_lock lock{all_.mutex_};
    if (all_.entries_.size() >= all_.max_calls_ || !all_.has_memory()) throw service_is_busy();
    entry_ = all_.entries_.emplace(all_.entries_.end());
    all_.peak_ = std::max(all_.peak_, all_.entries_.size());
}

CallRegister::Slot::~Slot() {
    const std::scoped_lock lock{all_.mutex_};
    all_.entries_.erase(entry_);
}

void CallRegister::Slot::begun(const store::CallId& call) {
    const std::scoped_lock lock{all_.mutex_};
    *entry_ = {call, steady_clock::now()};
}

void CallRegister::Slot::answers(web::Stream* stream) {
    const std::scoped_lock lock{all_.mutex_};
    entry_->answer = stream;
}

std::size_t CallRegister::size() {
    const std::scoped_lock lock{mutex_};
    return entries_.size();
}

std::vector<store::CallId> CallRegister::due(std::chrono::seconds unrenewed) {
    const auto now = steady_clock::now();
    std::vector<store::CallId> calls;
    const std::scoped_lock lock{mutex_};
    for (const Entry& entry : entries_)
        if (entry.call && now - entry.renewed_at >= unrenewed) calls.push_back(*entry.call);
    return calls;
}

std::vector<store::CallId> CallRegister::renewed(const std::vector<store::CallId>& calls,
                                                 const std::vector<std::string>& ids,
                                                 steady_clock::time_point at) {
    const std::unordered_set<std::string_view> good{ids.begin(), ids.end()};
    std::vector<store::CallId> others = calls;
    std::erase_if(others, [&](const store::CallId& call) { return good.contains(call.id); });
    const std::scoped_lock lock{mutex_};
    for (Entry& entry : entries_)
        if (entry.call && good.contains(entry.call->id)) entry.renewed_at = at;
    return others;
}

// The stream exists while the entry points to it: answers(nullptr) waits for the lock. Its
// listeners only ask the loop to go on.
void CallRegister::end(const std::vector<store::CallId>& calls) {
    std::unordered_set<std::string_view> ids;
    for (const store::CallId& call : calls) ids.insert(call.id);
    const std::scoped_lock lock{mutex_};
    for (const Entry& entry : entries_) {
        if (!entry.call || !entry.answer || !ids.contains(entry.call->id)) continue;
        entry.answer->cancellation().cancel();
        entry.answer->writable().set();
    }
}

bool CallRegister::give_back_memory() {
    {
        const std::scoped_lock lock{mutex_};
        if (peak_ < min_burst || 2 * entries_.size() >= peak_) return false;
        peak_ = entries_.size();
    }
    ::malloc_trim(0);
    return true;
}

/// Memory that a burst has left with the allocator is given back before a call is refused for lack
/// of it.
bool CallRegister::has_memory() {
    if (resident_bytes() <= max_memory_) return true;
    const auto now = steady_clock::now();
    if (now - trimmed_at_ < trim_interval) return false;
    trimmed_at_ = now;
    ::malloc_trim(0);
    return resident_bytes() <= max_memory_;
}

} // namespace usershell::execute
