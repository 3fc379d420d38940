// Shared by the store's tests: one database a program, users, keys, and a superuser's connection
// for what no role may. Ids are new in every test case, so that none sees another's rows. Needs
// PGHOST and a superuser by PGUSER, as tests/harness/servers/postgres.py gives them.
#pragma once
#include "crypto/token.hpp"
#include "opener/wire/call_starts.hpp"
#include "store/call_rows.hpp"
#include "store/calls.hpp"
#include "store/database/connection.hpp"
#include "store/database/database.hpp"
#include "store/providers/parts.hpp"
#include "store/providers/providers.hpp"
#include "store/tokens/access_tokens.hpp"
#include "store/users/events.hpp"
#include "store/users/factors.hpp"
#include "store/users/passwords.hpp"
#include "store/users/sessions.hpp"
#include "store/users/user_admin.hpp"
#include "store/users/users.hpp"
#include "tests/unit/test.hpp"
#include <pqxx/pqxx>
namespace usershell::test {
/// A database with a random name, made with sql/roles.sql and the migrations, dropped at the end.
struct TestDatabase : boost::noncopyable {
    enum class Schema { migrated, empty };
    /// Throws std::runtime_error when it can't be made.
    explicit TestDatabase(Schema schema = Schema::migrated);
    ~TestDatabase();
    const std::string& name() const { return name_; }
    std::string as_owner() const { return as("usershell_owner"); }
    std::string as_auth() const { return as("usershell_auth"); }
    std::string as_manage() const { return as("usershell_manage"); }
    std::string as_execute() const { return as("usershell_execute"); }
    std::string as_opener() const { return as("usershell_opener"); }
    std::string as_mail() const { return as("usershell_mail"); }
    std::string as_superuser() const;
    std::string as(const std::string& role) const;
    std::string name_;
};
} // namespace usershell::test
namespace usershell::store {
using namespace opener;
namespace libpqxx {
/// `sql` with $1 and so on.
template <class... Values>
pqxx::result query(pqxx::transaction_base& transaction, const std::string& sql,
                   const Values&... values) {
#if PQXX_VERSION_MAJOR < 7
    return transaction.exec_params(sql, values...);
#else
    return transaction.exec(sql, pqxx::params{values...});
#endif
}
} // namespace libpqxx
test::TestDatabase& test_database();
/// Runs a statement as superuser, committed. Row-level security does not hold for it.
template <class... Values>
pqxx::result as_superuser(const std::string& sql, const Values&... values) {
    pqxx::connection connection{test_database().as_superuser()};
    pqxx::nontransaction statement{connection};
    return libpqxx::query(statement, sql, values...);
}
template <class... Values>
bool any(const std::string& sql, const Values&... values) {
    return !as_superuser(sql, values...).empty();
}
template <class Value, class... Values>
Value value(const std::string& sql, const Values&... values) {
    return as_superuser(sql, values...)[0][0].template as<Value>();
}
/// Fails the test after a minute.
inline void wait_until(const std::function<bool()>& is_met) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!is_met()) {
        if (std::chrono::steady_clock::now() > end) throw std::runtime_error{"Waited in vain."};
        std::this_thread::sleep_for(1ms);
    }
}
std::size_t rows_in(const std::string& table, const UserId& owner);
/// Ends the server's side of every connection of a role, and waits until they are gone.
int terminate_connections_of(const std::string& role);
struct TestUser {
    UserId id;
    EmailAddress email;
};
TestUser add_user();
SessionKeys session_of(const UserId& user);
/// A lease of its own pool, which presents a session of that user, without a limit of time.
struct Acting {
    explicit Acting(const std::string& connection, const std::optional<UserId>& user = {},
                    std::string SessionKeys::*token = &SessionKeys::token_hash)
        : database{connection, 1, {.limit = 24h}},
          lease{database} {
        if (user) lease.present(session_of(*user).*token);
    }
    Lease& operator*() { return lease; }
    Database database;
    Lease lease;
};
struct Operating : Acting {
    Operating() : Acting{test_database().as_owner()} {}
};
struct Managing : Acting {
    explicit Managing(const std::optional<UserId>& user = {})
        : Acting{test_database().as_manage(), user} {}
};
struct Vouching : Acting {
    explicit Vouching(const std::optional<UserId>& user = {})
        : Acting{test_database().as_auth(), user, &SessionKeys::auth_token_hash} {}
};
struct Opening : Acting {
    Opening() : Acting{test_database().as_opener()} {}
};
// As usershell-execute asks, but for the socket. Keys come closed, with the digests of envelopes.
std::optional<CallStart> begin_call(Lease& opening, const std::string& token,
                                    const std::optional<ProviderId>& provider, TakesTurn turn,
                                    const std::optional<AccountId>& only = {});
std::optional<TokenCallStart> begin_token_call(Lease& opening, const TokenRequest& request);
std::optional<LoadedProvider> load_provider(Lease& opening, const CallId& call,
                                            const ProviderId& provider, const std::string& model,
                                            TokenNeed need);
std::optional<NextKey> next_key(Lease& opening, const CallId& call, const ProviderId& provider,
                                const std::optional<AccountId>& account, bool with_headers);
/// Of the envelope that the provider or the account has now.
std::string digest_at(const ProviderId& provider, const std::optional<AccountId>& account = {});
/// A call of the user with that token; null when they have too many or may not.
std::optional<CallId> begin_call(Lease& opening, const std::string& token);
std::optional<CallProvider> load_call_provider(Lease& opening, const std::string& token,
                                               const ProviderId& provider);
std::vector<ProviderId> active_providers(Lease& opening, const std::string& token);
struct Executing : Acting {
    explicit Executing(const UserId& user)
        : Acting{test_database().as_execute()},
          token{session_of(user).calls_token_hash},
          call{begin_call(*opening, token).value()} {}
    ~Executing() { end_calls(lease, {{call}}); }
    void shows(const HealthReport& report) {
        end_calls(lease, {{begin_call(*opening, token).value(), {report}}});
    }
    CallProvider load(const ProviderId& provider) {
        return load_call_provider(*opening, token, provider).value();
    }
    Opening opening;
    std::string token; ///< its hash
    CallId call;
};
using Cooldown = std::optional<std::chrono::seconds>;
/// The report of a call that tried every key, the provider's own first, with the same for each.
HealthReport shown_of_every_key(const CallProvider& provider, Health health,
                                const std::string& message, Cooldown cooldown = {});
constexpr Deed all_deeds[] = {Deed::session, Deed::token,  Deed::password,
                              Deed::address, Deed::factor, Deed::deletion};
/// That user under the stamp of now.
StampedUser stamped(const UserId& user);
/// As if their password had just been right. A deed is of their newest session, which has got new
/// tokens since.
SignIn proven(const UserId& user, const std::string& deed = "session");
/// At a sign-in.
inline PasswordVerdict check_password(Lease& lease, const std::string& email,
                                      const std::vector<std::string>& hashes,
                                      const std::string& browser, const std::string& fresh = {}) {
    return check_password(lease, email, hashes, browser, Deed::session, "visitor", fresh);
}
/// An envelope of that kind for the store: ring key id 00 01 …, signer's id 10 11 ….
std::string some_envelope(char kind);
void register_some_key();
StoredKey some_key();
ProviderFields some_fields(const std::string& name = "Some provider");
/// With accounts that take turns; at another address.
ProviderFields in_turn();
ProviderFields elsewhere();
SessionKeys some_keys();
/// With the code of now; its mask and its salt are of no ring.
NewApp some_app();
/// The code of that app, so many half minutes from now.
std::string code_of(const NewApp& app, int steps = 0);
std::vector<std::string> some_hashes();
NewSession some_session(std::chrono::seconds idle = 1h, std::chrono::seconds absolute = 24h);
std::optional<Provider> find_provider(Lease& lease, const UserId& owner, const ProviderId& id);
struct ProviderOwner {
    ProviderOwner();
    TestUser user;
    UserId& owner;
    Managing managing;
    Lease& lease;
    ProviderId provider;
    AccountId add_account(const std::string& name, std::optional<int> priority = {});
    void add_model(const std::string& id);
    Provider now() { return find_provider(lease, owner, provider).value(); }
};
inline auto refused_as(ErrorCode code) {
    return [code](const Refusal& refusal) { return refusal.code() == code; };
}

// A person with access tokens, and what their calls get.

inline TokenLimits some_limits() {
    return {.name = "laptop", .requests_a_minute = 100, .lifetime = 24h};
}

/// A person with a provider, a model and tokens.
struct Holder : ProviderOwner {
    Holder() { add_model("m"); }

    TokenStart makes(const TokenLimits& limits, const std::optional<QueuedMail>& notice = {}) {
        made = crypto::new_access_token(crypto::random_id<InstallationId>()).proof;
        id = crypto::random_id<AccessTokenId>();
        return make_token(auth.lease, proven(owner, "token").id, id, made, limits, notice);
    }
    TokenChange changes(const TokenLimits& limits, const char* deed = "token") {
        return change_token(auth.lease, proven(owner, deed).id, id, limits);
    }
    /// The proof of its new secret is `made` from then on.
    TokenChange renews(std::chrono::seconds overlap, const char* deed = "token") {
        const auto old = std::exchange(
            made, crypto::new_access_token(crypto::random_id<InstallationId>()).proof);
        return renew_token(auth.lease, proven(owner, deed).id, id, old.selector, made, overlap);
    }
    void has(const TokenLimits& limits = some_limits()) {
        BOOST_REQUIRE((makes(limits) == TokenStart::made));
    }
    std::optional<TokenCallStart> begins(std::int64_t reserve = 0, const char* route = "chat") {
        return begin_token_call(opening.lease, {made, route, "192.0.0.0/16", {reserve, 0}});
    }
    TokenOutcome outcome(std::int64_t reserve = 0, const char* route = "chat") {
        return begins(reserve, route).value().outcome;
    }
    CallId call() { return begins().value().call.value(); }
    bool loads(const CallId& of, const ProviderId& from, const std::string& model) {
        return load_provider(opening.lease, of, from, model, {}).has_value();
    }
    /// The provider whose key a call has loaded that began with that name of a model.
    std::optional<ProviderId> loads_at_once(const std::string& model) {
        const auto start =
            begin_token_call(opening.lease, {made, "chat", "192.0.0.0/16", {}, model}).value();
        BOOST_TEST((!start.loaded || (start.loaded->own_key && start.providers.size() == 1U)));
        return start.loaded ? std::optional{start.loaded->id} : std::nullopt;
    }
    void ends(const CallId& which, std::uint64_t input, std::uint64_t output,
              const std::string& model = "m") {
        end_calls(executing.lease, {{which, {}, {{provider, model, false, true, input, output}}}});
    }
    /// The names of its good tokens.
    std::string tokens() {
        std::string names;
        for (const AccessToken& each : own_tokens(auth.lease)) names += each.name + " ";
        return names;
    }
    /// The events of tokens, the newest first.
    std::string told() {
        std::string words;
        for (const Event& each : latest_events(auth.lease, 50, 50))
            if (each.kind.starts_with("token_")) words += each.kind + " " + each.about + " ";
        return words;
    }
    AccessToken only() { return own_tokens(auth.lease).at(0); }
    bool is_good(const crypto::TokenProof& proof) {
        return begin_token_call(opening.lease, {proof, "chat", "", {}}).has_value();
    }
    /// Its events wait for a mail, the oldest first.
    std::string waiting() {
        std::string words;
        for (const WaitingEvent& each : events_to_announce(auth.lease, 10'000))
            if (each.owner == owner) words += each.kind + " " + each.about + " ";
        return words;
    }

    Vouching auth{owner};
    Acting executing{test_database().as_execute(), std::nullopt};
    Opening opening{};
    Acting operating{test_database().as_owner(), std::nullopt};
    crypto::TokenProof made;
    AccessTokenId id = crypto::random_id<AccessTokenId>();
};

} // namespace usershell::store
