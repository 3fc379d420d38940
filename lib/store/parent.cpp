#include "store/parent.hpp"

#include "store/database/statements.hpp"

#include <array>

namespace usershell::store {

namespace {

constexpr Statement lock{
    "lock_provider",
    by_manage,
    {"SELECT 1 FROM usershell.providers WHERE owner_id = $1 AND id = $2 FOR NO KEY UPDATE"}};

} // namespace

StatementList parent_statements() {
    static constexpr std::array list{&lock};
    return list;
}

void lock_provider(Transaction& transaction, const UserId& owner, const ProviderId& provider) {
    if (transaction.run(lock, owner, provider).empty()) throw not_found();
}

Refusal cap_reached(const std::string& things, int most) {
    return {ErrorCode::cap_reached,
            "There can be at most " + std::to_string(most) + " " + things + "."};
}

std::string document_of(const pqxx::result& rows) {
    if (rows.empty()) throw not_found();
    return rows[0][0].as<std::string>();
}

} // namespace usershell::store
