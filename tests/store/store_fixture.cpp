#include "store/store_fixture.hpp"
#include "crypto/envelope/envelope.hpp"
#include "store/migrations/migrate.hpp"
#include <cstdlib>
#include <iostream>
namespace usershell::test {
namespace {
std::string from_environment(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr) throw std::runtime_error{std::string{name} + " is not set."};
    return value;
}
void psql(const std::string& words) {
    const std::string command = "psql -XqAt -d postgres -v ON_ERROR_STOP=1 " + words;
    if (std::system(command.c_str()) != 0) // NOLINT(cert-env33-c)
        throw std::runtime_error{"psql failed."};
}
std::string random_name() {
    std::string name = "usershell_" + crypto::random_uuid();
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}
} // namespace
TestDatabase::TestDatabase(Schema schema) : name_{random_name()} {
    psql("-v database=" + name_ + " -f '" USERSHELL_SOURCE_DIR "/sql/roles.sql'");
    if (schema == Schema::migrated) store::migrate(as_owner());
}
TestDatabase::~TestDatabase() {
    try {
        psql("-c 'DROP DATABASE " + name_ + " WITH (FORCE)'");
    } catch (const std::exception& error) {
        std::cerr << "The test database stays: " << error.what() << '\n';
    }
}
std::string TestDatabase::as_superuser() const { return as(from_environment("PGUSER")); }
std::string TestDatabase::as(const std::string& role) const {
    return "host=" + from_environment("PGHOST") + " dbname=" + name_ + " user=" + role;
}
} // namespace usershell::test
namespace usershell::store {
namespace {
struct ProgramDatabase {
    ProgramDatabase() {
        current = std::make_unique<test::TestDatabase>();
        register_some_key();
    }
    ~ProgramDatabase() { current.reset(); }
    static inline std::unique_ptr<test::TestDatabase> current;
};
BOOST_TEST_GLOBAL_FIXTURE(ProgramDatabase);
} // namespace
test::TestDatabase& test_database() { return *ProgramDatabase::current; }
std::size_t rows_in(const std::string& table, const UserId& owner) {
    return as_superuser("SELECT FROM usershell." + table + " WHERE owner_id = $1", owner.text())
        .size();
}
int terminate_connections_of(const std::string& role) {
    const auto ended = as_superuser("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
                                    "WHERE datname = current_database() AND usename = $1",
                                    role);
    return static_cast<int>(ended.size());
}
std::optional<Provider> find_provider(Lease& lease, const UserId& owner, const ProviderId& id) {
    auto all = list_providers(lease, owner);
    const auto found = std::ranges::find(all, id, &Provider::id);
    return found == all.end() ? std::nullopt : std::optional{std::move(*found)};
}
TestUser add_user() {
    static Acting owner{test_database().as_owner()};
    TestUser user{crypto::random_id<UserId>(),
                  parse_email(crypto::random_uuid() + "@example.org").value()};
    add_user(owner.lease, user.id, user.email, "Somebody", "some hash");
    return user;
}
std::string some_envelope(char kind) {
    std::string envelope{'\1', kind};
    for (char byte = 0; byte < 32; ++byte) envelope += byte;
    return envelope + crypto::random_bytes(300);
}
void register_some_key() {
    as_superuser("DELETE FROM usershell.ring_keys");
    as_superuser("INSERT INTO usershell.ring_keys VALUES ($1, 'vault')",
                 hex(some_envelope(1).substr(2, 16)));
}
StoredKey some_key() {
    return {crypto::SealedKey{some_envelope(1)}, "sk-…abcd",
            "generic-compatible https://api.example.org/v1"};
}
ProviderFields some_fields(const std::string& name) {
    return {name, "generic-compatible", "https://api.example.org/v1", false};
}
ProviderFields in_turn() { return {"P", "generic-compatible", "https://api.example.org/v1", true}; }
ProviderFields elsewhere() {
    return {"P", "generic-compatible", "https://b.example.org/v1", false};
}
StampedUser stamped(const UserId& user) {
    const auto row =
        as_superuser("SELECT security_stamp FROM usershell.users WHERE id = $1", user.text());
    return {user, bytes_of(row[0][0].as<std::string>())};
}
SignIn proven(const UserId& user, const std::string& deed) {
    const auto id = value<std::string>(R"sql(
        INSERT INTO usershell.sign_ins (owner_id, security_stamp, visitor_hash, deed, shown)
        SELECT id, security_stamp, CASE $2::text WHEN 'session' THEN sha256('visitor') ELSE (
                   SELECT auth_token_hash FROM usershell.sessions WHERE owner_id = u.id
                   ORDER BY created_at DESC LIMIT 1) END, $2, '{password}'
          FROM usershell.users u WHERE id = $1 RETURNING id)sql",
                                       user.text(), deed);
    return {stamped(user), SignInId::parse(id).value(), "visitor"};
}
SessionKeys session_of(const UserId& user) {
    static Vouching visitor;
    const NewSession session = some_session();
    start_session(visitor.lease, proven(user), session);
    visitor.lease.release();
    return session.keys;
}
std::string code_of(const NewApp& app, int steps) {
    return value<std::string>("SELECT usershell.code_of($1, floor(extract(epoch FROM "
                              "clock_timestamp()) / 30)::bigint + $2)",
                              "\\x" + hex(app.secret), steps);
}

NewApp some_app() {
    register_some_key();
    NewApp app{{"000102030405060708090a0b0c0d0e0f", crypto::random_bytes(16)},
               crypto::random_bytes(20),
               crypto::random_bytes(20),
               {}};
    app.code = code_of(app);
    return app;
}

std::vector<std::string> some_hashes() {
    return {crypto::random_bytes(32), crypto::random_bytes(32)};
}

SessionKeys some_keys() {
    const auto random = [] { return crypto::random_bytes(32); };
    return {random(), random(), random(), random(), random()};
}
NewSession some_session(std::chrono::seconds idle, std::chrono::seconds absolute) {
    return {crypto::random_id<SessionId>(), some_keys(), false, idle, absolute};
}
ProviderOwner::ProviderOwner()
    : user{add_user()},
      owner{user.id},
      managing{user.id},
      lease{managing.lease},
      provider{crypto::random_id<ProviderId>()} {
    create_provider(lease, owner, provider, some_fields(), some_key());
}
AccountId ProviderOwner::add_account(const std::string& name, std::optional<int> priority) {
    return store::add_account(lease, owner, provider,
                              {crypto::random_id<AccountId>(), name, priority}, some_key())
        .id;
}
void ProviderOwner::add_model(const std::string& id) {
    store::add_model(lease, owner, provider, {id, id, "generation,assistant"});
}
HealthReport shown_of_every_key(const CallProvider& provider, Health health,
                                const std::string& message, Cooldown cooldown) {
    HealthReport report{provider.id, provider.url(), health, message, {}};
    const auto add = [&](const CallKey& key) {
        const std::string digest = digest_at(provider.id, key.account);
        report.keys.push_back({key.account, digest, health, message, cooldown});
    };
    if (provider.own_key) add(*provider.own_key);
    std::ranges::for_each(provider.accounts, add);
    return report;
}
std::string digest_at(const ProviderId& provider, const std::optional<AccountId>& account) {
    const std::string sql = "SELECT sha256(sealed_key) FROM usershell.";
    return bytes_of(account ? value<std::string>(sql + "accounts WHERE id = $1", account->text())
                            : value<std::string>(sql + "providers WHERE id = $1", provider.text()));
}
namespace {
struct StoreAsker : Asker {
    explicit StoreAsker(Lease& given) : lease{given} {}
    Answer ask(const Question& question) override {
        const Question read = read_question(encoded(question));
        return Answer{
            encoded(store::call_rows(lease, read.statement, read.values),
                    [](const auto&, const crypto::SealedKey& sealed) {
                        return OpenedKey{crypto::UnsealError::Reason::damaged, digest_of(sealed)};
                    })};
    }
    Lease& lease;
};
} // namespace
std::optional<CallStart> begin_call(Lease& opening, const std::string& token,
                                    const std::optional<ProviderId>& provider, TakesTurn turn,
                                    const std::optional<AccountId>& only) {
    StoreAsker asker{opening};
    return opener::begin_call(asker, {token, provider, only, turn});
}
std::optional<TokenCallStart> begin_token_call(Lease& opening, const TokenRequest& request) {
    StoreAsker asker{opening};
    return opener::begin_token_call(asker, request);
}
std::optional<LoadedProvider> load_provider(Lease& opening, const CallId& call,
                                            const ProviderId& provider, const std::string& model,
                                            TokenNeed need) {
    StoreAsker asker{opening};
    return opener::load_provider(asker, call, provider, model, need);
}
std::optional<NextKey> next_key(Lease& opening, const CallId& call, const ProviderId& provider,
                                const std::optional<AccountId>& account, bool with_headers) {
    StoreAsker asker{opening};
    return opener::next_key(asker, call, provider, account, with_headers);
}
std::optional<CallId> begin_call(Lease& opening, const std::string& token) {
    const auto start = begin_call(opening, token, std::nullopt, TakesTurn::no);
    return start ? start->call : std::nullopt;
}
namespace {
std::vector<CallProvider> look(Lease& opening, const std::string& token,
                               const std::optional<ProviderId>& provider) {
    static Acting executing{test_database().as_execute()};
    auto start = begin_call(opening, token, provider, TakesTurn::no);
    if (!start) return {};
    if (start->call) end_calls(*executing, {{*start->call}});
    return std::move(start->providers);
}
} // namespace
std::optional<CallProvider> load_call_provider(Lease& opening, const std::string& token,
                                               const ProviderId& provider) {
    auto found = look(opening, token, provider);
    return found.empty() ? std::nullopt : std::optional{std::move(found.front())};
}
std::vector<ProviderId> active_providers(Lease& opening, const std::string& token) {
    std::vector<ProviderId> ids;
    for (const CallProvider& provider : look(opening, token, std::nullopt))
        ids.push_back(provider.id);
    return ids;
}
} // namespace usershell::store
