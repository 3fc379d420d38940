#include "runtime/call_memory.hpp"

namespace usershell {

std::size_t MemoryShares::taken() {
    const std::scoped_lock lock{mutex_};
    return taken_ + leaving_;
}

bool MemoryShares::take(CallMemory& memory, std::size_t more) {
    std::unique_lock lock{mutex_};
    if (memory.is_lost_) return false;
    User& user = users_[memory.user_];
    if (memory.taken_ == 0) user.calls.push_back(&memory);
    const bool has_room = user.taken + more <= of_user_ && make_room(user, more);
    if (has_room) {
        memory.taken_ += more;
        user.taken += more;
        taken_ += more;
    } else {
        lose(memory);
    }
    const bool has_lost = !lost_.empty();
    lock.unlock();
    if (has_lost) start(cancel_lost());
    return has_room;
}

/// Of the users who have more than the asking one would have, until there is room. False: there is
/// none.
bool MemoryShares::make_room(const User& asking, std::size_t more) {
    while (taken_ + more > all_) {
        const auto largest = std::ranges::max_element(
            users_, {}, [](const auto& each) { return each.second.taken; });
        if (largest->second.taken <= asking.taken + more) return false;
        const auto& calls = largest->second.calls;
        const auto arriving =
            std::ranges::find_if(calls, [](const CallMemory* each) { return each->is_arriving_; });
        lose(arriving != calls.end() ? **arriving
                                     : **std::ranges::max_element(calls, {}, &CallMemory::taken_));
    }
    return true;
}

/// Its memory counts as free from now on, as it is given back soon.
void MemoryShares::lose(CallMemory& memory) {
    memory.is_lost_ = true;
    const std::size_t had = memory.taken_;
    drop(memory);
    memory.taken_ = had;
    leaving_ += had;
    lost_.push_back(&memory);
}

/// Out of the shares of its user.
void MemoryShares::drop(CallMemory& memory) {
    const auto user = users_.find(memory.user_);
    user->second.calls.remove(&memory);
    user->second.taken -= memory.taken_;
    taken_ -= memory.taken_;
    memory.taken_ = 0;
    if (user->second.calls.empty()) users_.erase(user);
}

void MemoryShares::give_back(CallMemory& memory, std::size_t bytes) {
    const std::scoped_lock lock{mutex_};
    if (memory.is_lost_) {
        leaving_ -= bytes;
        memory.taken_ -= bytes;
    } else if (bytes == memory.taken_) {
        drop(memory);
    } else {
        memory.taken_ -= bytes;
        users_.find(memory.user_)->second.taken -= bytes;
        taken_ -= bytes;
    }
}

// The signals exist while the call points to them: ends() waits for the lock. Their listeners only
// ask the loop to go on.
Task<> MemoryShares::cancel_lost() {
    co_await loop_.enter();
    const std::scoped_lock lock{mutex_};
    for (const CallMemory* const memory : std::exchange(lost_, {})) {
        if (memory->cancellation_ == nullptr) continue;
        memory->cancellation_->cancel();
        memory->writable_->set();
    }
}

CallMemory::~CallMemory() {
    if (!is_lost_) return;
    const std::scoped_lock lock{shares_.mutex_};
    std::erase(shares_.lost_, this);
}

void CallMemory::ends(CancellationToken* cancellation, AsyncEvent* writable) {
    const std::scoped_lock lock{shares_.mutex_};
    cancellation_ = cancellation;
    writable_ = writable;
    if (is_lost_ && cancellation_ != nullptr) cancellation_->cancel();
}

void CallMemory::arrives(bool is_arriving) {
    const std::scoped_lock lock{shares_.mutex_};
    is_arriving_ = is_arriving;
}

bool CallMemory::Part::change(std::size_t reserved) {
    if (memory_ == nullptr) return true;
    if (reserved > reserved_ && !memory_->shares_.take(*memory_, reserved - reserved_))
        return false;
    if (reserved < reserved_) memory_->shares_.give_back(*memory_, reserved_ - reserved);
    reserved_ = reserved;
    return true;
}

void give_back_room(std::string& text, CallMemory::Part& part) {
    if (text.capacity() <= CallMemory::free_bytes || text.size() > text.capacity() / 4) return;
    std::string{text}.swap(text);
    part.hold(text.capacity());
}

} // namespace usershell
