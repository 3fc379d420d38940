// The connections of a Database: at most a fixed number, idle or lent. Thread-safe. Inside
// lib/store only.
#pragma once

#include "store/database/connection.hpp"
#include "store/database/database.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace usershell::store {

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

} // namespace usershell::store
