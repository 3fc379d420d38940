// Begins calls and finds their keys, by questions to usershell-opener: who calls, and a provider
// with its keys in the order in which they are tried. Each function waits for the answer, and
// throws what Asker::ask() throws.
#pragma once

#include "base/ids.hpp"
#include "crypto/token.hpp"
#include "domain/address/url.hpp"
#include "domain/catalogue.hpp"
#include "opener/wire/client.hpp"
#include "opener/wire/protocol.hpp"
#include "store/calls.hpp"
#include "store/users/sessions.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::opener {

/// One key that a call may use: the provider's own or an account's.
struct CallKey {
    std::optional<AccountId> account{};
    std::string name{}; ///< of the account; empty for the provider's own
    bool is_enabled = true;
    bool is_in_cooldown = false;       ///< refused or rate limited a short while ago
    bool is_unhealthy = false;         ///< an account's last known health
    std::optional<OpenedKey> opened{}; ///< null: to be asked for when it is tried
};

/// Sent with each request.
struct CallHeader {
    std::string name;
    std::optional<OpenedKey> value{}; ///< null: to be asked for with the first key
};

struct CallProvider {
    ProviderId id;
    std::string name;
    const ProviderType* type; ///< null: the catalogue does not contain it any more
    std::string base_url;     ///< as it is stored
    bool is_active = false;
    bool round_robin_accounts = false;
    std::optional<CallKey> own_key{};
    std::vector<CallKey> accounts{}; ///< those that take turns first, in the order of this call
    std::vector<CallHeader> headers{};
    std::vector<std::string> enabled_models{}; ///< in the order added
    std::vector<std::string> all_models{};

    /// Throws Refusal for an address that is good no more. Another provider of the same caller can
    /// still be called.
    BaseUrl url() const { return BaseUrl::parse(base_url); }
    bool needs_model() const { return type == nullptr || !type->is_search; }
    /// The keys that a call tries, in their order; `only`: that account's alone. The statement that
    /// begins the call has the first one opened by the same rule (sql/0022_calls.sql,
    /// provider_keys).
    std::vector<CallKey*> keys_to_try(const std::optional<AccountId>& only);
};

/// Advances the rotation of the providers, so that the next call begins with another key.
enum class TakesTurn : bool { no, yes };

/// Of a person at a page.
struct CallRequest {
    std::string calls_token_hash{};       ///< of the caller's token
    std::optional<ProviderId> provider{}; ///< null: all active ones
    std::optional<AccountId> only{};      ///< the account whose key alone is tried
    TakesTurn turn = TakesTurn::no;
    std::string id{}; ///< of a call that has begun already, which keeps its slot; else drawn
};
struct CallStart {
    store::Caller caller;
    std::optional<store::CallId> call{}; ///< null: the caller has rules::max_calls under way
    /// The provider that was named, if it is the caller's, with the first key and headers opened;
    /// else all active ones, in list order.
    std::vector<CallProvider> providers{};
};
/// Null: the session is not good. A second attempt after a lost answer may skip a turn.
std::optional<CallStart> begin_call(Asker& opener, const CallRequest& request);

/// The tokens that a request may take, by an estimate.
struct TokenNeed {
    std::int64_t input = 0;
    std::int64_t output = 0; ///< at most
};
/// A request with an access token, before a late body is read.
struct TokenRequest {
    crypto::TokenProof proof;
    std::string_view route; ///< a word of rules::token_route; empty: a list of models, by no call
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
    std::optional<store::CallId> call{};    ///< if begun
    std::chrono::seconds wait{};            ///< if not begun: until it may succeed
    BodyLimits limits{};                    ///< if begun
    std::vector<TokenProvider> providers{}; ///< if begun: the loaded one, else all, in list order
    std::optional<CallProvider> loaded{};   ///< as by load_provider(), for the request's model
};
/// Null: the token is not good.
std::optional<TokenCallStart> begin_token_call(Asker& opener, const TokenRequest& request);

struct LoadedProvider {
    TokenOutcome outcome = TokenOutcome::begun; ///< else one of the day's tokens
    std::optional<CallProvider> provider{};     ///< if begun
};
/// The provider for a call that begin_token_call() has begun, and a turn of its rotation. Reserves
/// what the body needs, now that it is known. Null: the token does not allow that model of that
/// provider, or has ended.
std::optional<LoadedProvider> load_provider(Asker& opener, const store::CallId& call,
                                            const ProviderId& provider, const std::string& model,
                                            TokenNeed need);

/// A key of a call under way, as its row is now.
struct NextKey {
    std::string type; ///< with base_url what the key may be used for
    std::string base_url;
    std::optional<OpenedKey> key{}; ///< null: the call's user has none such, or it may not try it
    std::vector<CallHeader> headers{};
};
/// That account's key, or the provider's own, with the provider's headers if they are wanted. Null:
/// the call has no right to run, or is for another provider.
std::optional<NextKey> next_key(Asker& opener, const store::CallId& call,
                                const ProviderId& provider, const std::optional<AccountId>& account,
                                bool with_headers);

} // namespace usershell::opener
