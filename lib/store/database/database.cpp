#include "store/database/database.hpp"

#include "store/database/conninfo.hpp"
#include "store/database/pool.hpp"

#include <optional>
#include <utility>

namespace usershell::store {

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
