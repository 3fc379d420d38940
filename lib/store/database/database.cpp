#include "store/database/database.hpp"

#include "base/error.hpp"
#include "runtime/stall_watch.hpp"
#include "store/database/connection.hpp"
#include "store/database/conninfo.hpp"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace usershell::store {

// Why connections have generations. When PostgreSQL restarts or fails over, all connections die at
// the same moment, but each is only found dead when it is next used. A request repeats its work
// once; on another connection that had been idle it would fail again. So the first loss condemns
// every connection opened before it. A connection belongs to the generation in which it was opened,
// and a loss begins the next. The loss of a condemned one condemns nothing.

/// The connections of a Database: at most a fixed number, idle or lent. Thread-safe.
class Database::Pool {
public:
    using Clock = SocketWatch::Clock;

    struct Entry {
        std::unique_ptr<Connection> connection;
        unsigned generation = 0; ///< how many losses the pool had seen when it was opened
        Clock::time_point idle_since{};
    };

    Pool(std::string conninfo, std::size_t size, Options options);

    /// An idle connection or a new one, whose statements end by then. Throws Refusal `unavailable`
    /// when all stay lent for options.wait or until then, StoreFault `connection_lost` when none
    /// can be opened.
    Entry take(Clock::time_point deadline);
    /// The end of what begins now.
    Clock::time_point deadline() const { return Clock::now() + options_.limit; }

    /// A connection that has been idle for so long and may present a session; null: there is none.
    std::optional<Entry> take_presenting(std::chrono::milliseconds idle);

    void put_back(Entry entry) noexcept;

    /// The connection of `entry` turned out to be lost. So all connections opened until now are
    /// closed: idle ones at once, lent ones when they are given back.
    void lose(Entry entry) noexcept;

    Usage usage() const;

private:
    /// An idle connection, or the right to open one (an entry without connection).
    Entry wait_for_slot(Clock::time_point deadline);
    void give_slot_up() noexcept;
    std::unique_ptr<Connection> connect();

    std::string conninfo_; ///< the server that was reached last is tried first
    const std::size_t size_;
    const Options options_;
    SocketWatch watch_;

    mutable std::mutex mutex_;
    std::condition_variable slot_freed_;
    std::vector<Entry> idle_;     ///< the last used at the end
    std::size_t slots_taken_ = 0; ///< by connections, idle or lent or being opened; at most size_
    unsigned generation_ = 0;     ///< losses seen
};

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

Database::Database(const std::string& connection, std::size_t size, Options options)
    : pool_{std::make_unique<Pool>(for_requests(connection), size, options)} {}

Database::~Database() = default;

void Database::forget_sessions(std::chrono::milliseconds idle) noexcept {
    while (auto entry = pool_->take_presenting(idle)) {
        try {
            entry->connection->set_deadline(pool_->deadline());
            entry->connection->present({});
            pool_->put_back(std::move(*entry));
        } catch (const std::exception&) {
            pool_->lose(std::move(*entry));
        }
    }
}

Database::Usage Database::usage() const { return pool_->usage(); }

struct Lease::State {
    explicit State(Database::Pool& database_pool) : pool{database_pool} {}

    Database::Pool& pool;
    Database::Pool::Entry entry;
    std::string token_hash;
    std::optional<Database::Pool::Clock::time_point> deadline; ///< null: there was no statement yet
};

Lease::Lease(Database& database) : state_{std::make_unique<State>(*database.pool_)} {}

Lease::~Lease() { release(); }

void Lease::present(std::string token_hash) { state_->token_hash = std::move(token_hash); }

void Lease::release() {
    state_->deadline.reset();
    if (state_->entry.connection) state_->pool.put_back(std::exchange(state_->entry, {}));
}

Connection& Lease::connection() {
    Connection& connection = any_connection();
    connection.present(state_->token_hash);
    return connection;
}

Connection& Lease::any_connection() {
    if (!state_->deadline) state_->deadline = state_->pool.deadline();
    if (Database::Pool::Clock::now() >= *state_->deadline) {
        throw not_reached();
    }
    if (!state_->entry.connection) state_->entry = state_->pool.take(*state_->deadline);
    return *state_->entry.connection;
}

void Lease::discard() {
    if (state_->entry.connection) state_->pool.lose(std::exchange(state_->entry, {}));
}

} // namespace usershell::store
