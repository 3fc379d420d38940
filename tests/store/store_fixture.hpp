// What the store's tests share: one database a program, people, keys, and a superuser's connection
// for what no role may. Ids are new in every test case, so that none sees another's rows.
#pragma once

#include "base/error.hpp"
#include "crypto/token.hpp"
#include "store/accounts.hpp"
#include "store/database/database.hpp"
#include "store/execution.hpp"
#include "store/models.hpp"
#include "store/providers.hpp"
#include "store/sessions.hpp"
#include "store/test_database.hpp"
#include "store/users.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <pqxx/pqxx>

namespace usershell::store {

/// The program's database.
test::TestDatabase& test_database();

/// A superuser's session on it.
pqxx::connection superuser();

/// Runs SQL as superuser, committed.
pqxx::result as_superuser(const std::string& sql);

/// Ends the server's side of every connection of a role, and waits until they are gone.
int terminate_connections_of(const std::string& role);

struct Resident {
    UserId id;
    EmailAddress email;
};
Resident add_user();

/// A lease of its own pool, acting as somebody.
struct Acting {
    Acting(const std::string& connection, const std::optional<UserId>& user, std::size_t size = 1)
        : database{connection, size},
          lease{database} {
        lease.act_as(user);
    }
    Database database;
    Lease lease;
};
struct Managing : Acting {
    explicit Managing(const std::optional<UserId>& user)
        : Acting{test_database().as_manage(), user} {}
};
struct Executing : Acting {
    explicit Executing(const std::optional<UserId>& user)
        : Acting{test_database().as_execute(), user} {}
};

/// A scope of the lease's user, and a key sealed to it, as far as the store can tell.
std::string add_some_scope(Lease& lease, const UserId& owner);
StoredKey some_key(const std::string& scope);

ProviderFields some_fields(const std::string& name = "Some provider");

/// A person with a scope and one provider.
struct Household {
    Household();
    Resident user;
    UserId& owner;
    Managing as_manager;
    Lease& lease;
    std::string scope;
    ProviderId provider;

    AccountId add_account(const std::string& name, std::optional<int> priority = {});
    void add_model(const std::string& id);
    boost::json::object document();
};

boost::json::object parse(const std::string& document);

/// For BOOST_CHECK_EXCEPTION.
inline auto refused_as(ErrorCode code) {
    return [code](const Refusal& refusal) { return refusal.code() == code; };
}

} // namespace usershell::store
