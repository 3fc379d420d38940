// Data that usershell-execute reads and writes: a provider with its sealed keys in the order in
// which they are tried, health, cooldowns, and the calls that a user has under way. The role
// usershell_execute has no right to any table. It has a right to the functions of
// sql/0022_calls.sql, which take the token of a caller's session or the id of a call that began
// with one. Errors are those of run() (store/database/run.hpp).
#pragma once

#include "base/error.hpp"
#include "base/ids.hpp"
#include "crypto/secret.hpp"
#include "crypto/token.hpp"
#include "domain/address/url.hpp"
#include "domain/catalogue.hpp"
#include "store/database/database.hpp"
#include "store/providers/parts.hpp"
#include "store/users/sessions.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace usershell::store {

/// A call that has begun. Its id entitles the holder to write for this call. Valid for a minute,
/// longer if it is renewed, and at most a minute longer than the call has a right to run.
struct CallId {
    UserId user;
    std::string id; ///< a random UUID that cannot be guessed
};

/// One key that a call may use: the provider's own or an account's.
struct CallKey {
    std::optional<AccountId> account;
    std::string name; ///< of the account; empty for the provider's own
    bool is_enabled = true;
    bool is_in_cooldown = false; ///< refused or rate limited a short while ago
    bool is_unhealthy = false;   ///< an account's last known health
    crypto::SealedKey sealed;
};

struct CallHeader {
    std::string name;
    crypto::SealedKey sealed; ///< its value
};

struct CallProvider {
    ProviderId id;
    std::string name;
    const ProviderType* type;                ///< null: the catalogue does not contain it any more
    std::variant<BaseUrl, Refusal> base_url; ///< a Refusal: the stored text can't be parsed
    bool is_active = false;
    bool round_robin_accounts = false;
    std::optional<CallKey> own_key{};
    std::vector<CallKey> accounts{};   ///< those that take turns first, in the order of this call
    std::vector<CallHeader> headers{}; ///< sent with each request
    std::vector<std::string> enabled_models{}; ///< in the order added
    std::vector<std::string> all_models{};

    /// Throws the Refusal.
    const BaseUrl& url() const;
    bool needs_model() const { return type == nullptr || !type->is_search; }
};

/// The result of begin_call().
struct CallStart {
    Caller caller;
    std::optional<CallId> call{}; ///< null: the caller has rules::max_calls under way
    /// The provider that was named, if it is the caller's; else all active ones, in list order.
    std::vector<CallProvider> providers{};
};

/// Advances the rotation of the providers, so that the next call begins with another key.
enum class TakesTurn : bool { no, yes };

/// Begins a call of the caller whose token for calls has that hash, in one statement. Null when
/// their session is not good. A second attempt after a lost answer may skip a turn.
std::optional<CallStart> begin_call(Lease& lease, const std::string& calls_token_hash,
                                    const std::optional<ProviderId>& provider, TakesTurn turn);

/// The tokens that a request may take, by an estimate.
struct TokenNeed {
    std::int64_t input = 0;
    std::int64_t output = 0; ///< at most
};
/// A request with an access token, before a late body is read.
struct TokenRequest {
    crypto::TokenProof proof;
    std::string_view route; ///< a word of rules::token_route; empty: a list of models
    std::string network;    ///< of the client, for the token's owner to see
    TokenNeed need{};       ///< reserved of the token's day; of a late body, by load_provider()
    /// As the tool names it; null: the body has not come yet. If it means one model that the token
    /// may use now, its provider is loaded, and no other returned.
    std::optional<std::string> model{};
};
/// A provider of the token's owner, as names of models are looked up.
struct TokenProvider {
    ProviderId id;
    std::string handle;
    const ProviderType* type; ///< null: the catalogue does not contain it any more
    bool is_active = false;
    std::vector<std::string> models{};
    std::vector<std::string> allowed{}; ///< those that the token may use now
};
enum class TokenOutcome {
    begun,
    route_not_allowed,
    tokens_spent,    ///< too few are left of the day, whatever calls under way may give back
    too_many_tokens, ///< the request alone is larger than the token's day
    tokens_reserved, ///< calls under way may take what is left
    no_slot,
    too_many_requests,
};
/// The parts of a body that a token permits.
struct BodyLimits {
    bool may_use_stored_objects = false; ///< what other requests have stored at the provider
    bool has_model_limit = false;        ///< the token is for some models only
    bool has_day_limit = false;          ///< of tokens
};
struct TokenCallStart {
    UserId user;
    TokenOutcome outcome = TokenOutcome::begun;
    std::optional<CallId> call{};           ///< if begun
    std::chrono::seconds wait{};            ///< if not begun: until it may succeed
    BodyLimits limits{};                    ///< if begun
    std::vector<TokenProvider> providers{}; ///< if begun: the loaded one, else all, in list order
    std::optional<CallProvider> loaded{};   ///< as by load_provider(), for the request's model
};
/// Begins a call of the owner of an access token, in one statement. Null when the token is not
/// good.
std::optional<TokenCallStart> begin_token_call(Lease& lease, const TokenRequest& request);

/// The result of load_provider().
struct LoadedProvider {
    TokenOutcome outcome = TokenOutcome::begun; ///< else one of the day's tokens
    std::optional<CallProvider> provider{};     ///< if begun
};
/// The provider for a call that begin_token_call() has begun, and a turn of its rotation. Reserves
/// what the body needs, now that it is known. Null when the token does not allow that model of that
/// provider, or has ended.
std::optional<LoadedProvider> load_provider(Lease& lease, const CallId& call,
                                            const ProviderId& provider, const std::string& model,
                                            TokenNeed need);

/// Does that model of the call's provider read images?
bool model_sees(Lease& lease, const CallId& call, const std::string& model);

/// Renews calls in one statement. Returns the ids of those that have a right to run: their session
/// is good, and their provider exists and is as active as it was. End the others.
std::vector<std::string> renew_calls(Lease& lease, const std::vector<CallId>& calls);

/// The health that a call has shown of one key.
struct KeyReport {
    std::optional<AccountId> account; ///< null: the provider's own key
    std::string sealed; ///< the ciphertext that was tried; a replaced key keeps its health
    Health health = Health::healthy;
    std::string message; ///< a stored Sentence without any key; empty when healthy
    std::optional<std::chrono::seconds> cooldown;
};
/// The health that a call has shown of a provider and of the keys that it tried.
struct HealthReport {
    ProviderId provider;
    BaseUrl base_url;               ///< the one called
    std::optional<Health> health{}; ///< null: the call has shown only accounts
    std::string message{};
    std::vector<KeyReport> keys{};
};
/// The tokens that a call has taken of one provider's model.
struct CallUsage {
    ProviderId provider;
    std::string model;
    bool failed = false;
    bool estimated = false; ///< by the sizes of request and answer
    std::uint64_t input_tokens = 0;
    std::uint64_t output_tokens = 0;
};
struct CallEnd {
    CallId call;
    std::vector<HealthReport> health{}; ///< one for each provider that was called
    std::vector<CallUsage> usage{};
};
/// Ends calls in one statement and writes their health and usage, so that their users may begin
/// others. Health of a row whose key or base URL was changed since, or that another transaction has
/// locked, stays as it is. A call that is neither ended nor renewed (its process was killed) ends
/// by itself after a minute. A report that the store refuses costs no other call its own:
/// then each is ended alone, and that one without its report.
void end_calls(Lease& lease, const std::vector<CallEnd>& ends);

} // namespace usershell::store
