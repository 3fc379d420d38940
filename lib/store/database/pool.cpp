#include "store/database/pool.hpp"

#include "base/error.hpp"
#include "runtime/stall_watch.hpp"

#include <algorithm>
#include <utility>

// Why connections have generations. When PostgreSQL restarts or fails over, all connections die at
// the same moment, but each is only found dead when it is next used. A request repeats its work
// once; on another connection that had been idle it would fail again. So the first loss condemns
// every connection opened before it. A connection belongs to the generation in which it was opened,
// and a loss begins the next. The loss of a condemned one condemns nothing.

namespace usershell::store {

Database::Pool::Pool(std::string conninfo, std::size_t size, Options options)
    : conninfo_{std::move(conninfo)},
      size_{size},
      options_{options} {
    idle_.reserve(size);
}

Database::Usage Database::Pool::usage() const {
    const std::scoped_lock lock{mutex_};
    return {.lent = slots_taken_ - idle_.size(), .idle = idle_.size(), .limit = size_};
}

Database::Pool::Entry Database::Pool::wait_for_slot(Clock::time_point deadline) {
    assert_may_wait("a connection");
    std::unique_lock lock{mutex_};
    const auto has_slot = [this] { return !idle_.empty() || slots_taken_ < size_; };
    if (!slot_freed_.wait_until(lock, std::min(Clock::now() + options_.wait, deadline), has_slot)) {
        throw service_is_busy();
    }
    Entry entry{nullptr, generation_, {}};
    if (idle_.empty()) {
        ++slots_taken_;
    } else {
        entry = std::move(idle_.back());
        idle_.pop_back();
    }
    return entry;
}

std::unique_ptr<Connection> Database::Pool::connect() {
    const auto conninfo = [this] {
        const std::scoped_lock lock{mutex_};
        return conninfo_;
    }();
    auto connection = std::make_unique<Connection>(
        conninfo, &watch_, options_.for_operator ? Audience::an_operator : Audience::others);
    const std::scoped_lock lock{mutex_};
    conninfo_ = connection->with_this_server_first(conninfo);
    return connection;
}

Database::Pool::Entry Database::Pool::take(Clock::time_point deadline) {
    for (;;) {
        Entry entry = wait_for_slot(deadline);
        if (!entry.connection) {
            try {
                entry.connection = connect();
                entry.connection->set_deadline(deadline);
                entry.connection->forget_role_defaults();
            } catch (...) {
                give_slot_up();
                throw;
            }
            return entry;
        }
        entry.connection->set_deadline(deadline);
        if (Clock::now() - entry.idle_since < options_.ping_after || entry.connection->ping())
            return entry;
        lose(std::move(entry));
    }
}

std::optional<Database::Pool::Entry>
Database::Pool::take_presenting(std::chrono::milliseconds idle) {
    const auto since = Clock::now() - idle;
    const std::scoped_lock lock{mutex_};
    const auto found = std::ranges::find_if(idle_, [since](const Entry& entry) {
        return entry.idle_since <= since && entry.connection->may_present_one();
    });
    if (found == idle_.end()) return std::nullopt;
    std::optional taken{std::move(*found)};
    idle_.erase(found);
    return taken;
}

void Database::Pool::put_back(Entry entry) noexcept {
    entry.idle_since = Clock::now();
    std::unique_lock lock{mutex_};
    if (entry.generation == generation_ && entry.connection->is_open()) {
        idle_.push_back(std::move(entry)); // never more than size_: no allocation
        lock.unlock();
        slot_freed_.notify_one();
        return;
    }
    lock.unlock();
    entry.connection.reset();
    give_slot_up();
}

void Database::Pool::lose(Entry entry) noexcept {
    entry.connection.reset();
    {
        const std::scoped_lock lock{mutex_};
        --slots_taken_;
        if (entry.generation == generation_) {
            ++generation_;
            slots_taken_ -= idle_.size();
            idle_.clear();
        }
    }
    slot_freed_.notify_all();
}

void Database::Pool::give_slot_up() noexcept {
    {
        const std::scoped_lock lock{mutex_};
        --slots_taken_;
    }
    slot_freed_.notify_one();
}

} // namespace usershell::store
