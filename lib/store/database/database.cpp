#include "store/database/database.hpp"

#include "store/database/conninfo.hpp"
#include "store/database/migrate.hpp"
#include "store/database/pool.hpp"

#include <utility>

namespace usershell::store {

Database::Database(const std::string& connection, std::size_t size, Times times)
    : pool_{std::make_unique<Pool>(for_requests(connection), size, times)} {}

Database::~Database() = default;

void Database::require_schema() {
    Lease lease{*this};
    check_schema(lease);
}

Database::Usage Database::usage() const { return pool_->usage(); }

struct Lease::State {
    explicit State(Database::Pool& database_pool) : pool{database_pool} {}

    Database::Pool& pool;
    Database::Pool::Entry entry;
    std::optional<UserId> user;
};

Lease::Lease(Database& database) : state_{std::make_unique<State>(*database.pool_)} {}

Lease::~Lease() { release(); }

void Lease::act_as(std::optional<UserId> user) { state_->user = std::move(user); }

void Lease::release() {
    if (state_->entry.connection) state_->pool.put_back(std::exchange(state_->entry, {}));
}

Connection& Lease::connection() {
    Connection& connection = unidentified_connection();
    connection.identify(state_->user);
    return connection;
}

Connection& Lease::unidentified_connection() {
    if (!state_->entry.connection) state_->entry = state_->pool.take();
    return *state_->entry.connection;
}

void Lease::discard() {
    if (state_->entry.connection) state_->pool.lose(std::exchange(state_->entry, {}));
}

} // namespace usershell::store
