// The connections of a Database: those that lie idle, and how many are out. Thread-safe. Inside
// lib/store only.
#pragma once

#include "store/database/connection.hpp"
#include "store/database/database.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace usershell::store {

class Database::Pool {
public:
    using Clock = std::chrono::steady_clock;

    struct Entry {
        std::unique_ptr<Connection> connection;
        unsigned generation = 0; ///< of connections: a new one begins when one was lost
        Clock::time_point idle_since{};
    };

    Pool(std::string conninfo, std::size_t size, Times times);

    /// An idle connection or a new one. Throws Refusal `unavailable` when all stay lent for
    /// times.wait, StoreFault `lost` when none can be opened.
    Entry take();

    void put_back(Entry entry) noexcept;

    /// `entry` was lost: what lies idle, or was opened before now, is not trusted any more either.
    void lose(Entry entry) noexcept;

private:
    /// An idle one, or one without connection: the caller may open it.
    Entry wait_for_place();
    void give_place_up() noexcept;

    const std::string conninfo_;
    const std::size_t size_;
    const Times times_;

    std::mutex mutex_;
    std::condition_variable place_;
    std::vector<Entry> idle_; ///< the last used at the end
    std::size_t places_taken_ = 0;
    unsigned generation_ = 0;
};

} // namespace usershell::store
