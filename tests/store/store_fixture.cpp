#include "store/store_fixture.hpp"

namespace usershell::store {

namespace {

/// Lives as long as the tests of the program do.
struct ProgramDatabase {
    ProgramDatabase() { current = std::make_unique<test::TestDatabase>(); }
    ~ProgramDatabase() { current.reset(); }
    static inline std::unique_ptr<test::TestDatabase> current;
};

BOOST_TEST_GLOBAL_FIXTURE(ProgramDatabase);

} // namespace

test::TestDatabase& test_database() { return *ProgramDatabase::current; }

pqxx::connection superuser() { return pqxx::connection{test_database().as_superuser()}; }

pqxx::result as_superuser(const std::string& sql) {
    pqxx::connection connection{test_database().as_superuser()};
    pqxx::nontransaction statement{connection};
    return statement.exec(sql);
}

int terminate_connections_of(const std::string& role) {
    const auto ended = as_superuser("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
                                    "WHERE datname = current_database() AND usename = '" +
                                    role + "'");
    return static_cast<int>(ended.size());
}

Resident add_user() {
    static Acting owner{test_database().as_owner(), std::nullopt};
    const Resident user{crypto::random_id<UserId>(),
                        *parse_email(crypto::random_uuid() + "@example.org")};
    add_user(owner.lease, user.id, user.email, "Somebody", "some hash");
    return user;
}

std::string add_some_scope(Lease& lease, const UserId& owner) {
    return add_scope(lease, owner,
                     {"0123456789abcdef", crypto::random_bytes(32),
                      crypto::SealedScope{crypto::random_bytes(80)}, crypto::random_bytes(64)});
}

StoredKey some_key(const std::string& scope) {
    return {crypto::SealedKey{crypto::random_bytes(300)}, scope, "sk-…abcd"};
}

ProviderFields some_fields(const std::string& name) {
    return {name, "generic-compatible", "https://api.example.org/v1", false};
}

Household::Household()
    : user{add_user()},
      owner{user.id},
      as_manager{user.id},
      lease{as_manager.lease},
      scope{add_some_scope(lease, owner)},
      provider{crypto::random_id<ProviderId>()} {
    create_provider(lease, owner, provider, some_fields(), some_key(scope));
}

AccountId Household::add_account(const std::string& name, std::optional<int> priority) {
    const auto id = crypto::random_id<AccountId>();
    store::add_account(lease, owner, provider, {id, name, priority}, some_key(scope));
    return id;
}

void Household::add_model(const std::string& id) {
    store::add_model(lease, owner, provider, {id, id, "generation,assistant"});
}

boost::json::object Household::document() {
    return parse(*provider_document(lease, owner, provider));
}

boost::json::object parse(const std::string& document) {
    return boost::json::parse(document).as_object();
}

} // namespace usershell::store
