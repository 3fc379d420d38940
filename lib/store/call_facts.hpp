// What a call needs to know: who calls, and a provider with its keys in the order in which they are
// tried. usershell-opener reads these facts with the envelopes (store/call_starts.hpp), and passes
// them on without.
#pragma once

#include "base/ids.hpp"
#include "crypto/token.hpp"
#include "domain/address/url.hpp"
#include "domain/catalogue.hpp"
#include "store/users/sessions.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

/// A call that has begun. Its id entitles the holder to read and write for this call. Valid for a
/// minute, longer if it is renewed, and at most a minute longer than the call has a right to run.
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
};

struct CallProvider {
    ProviderId id;
    std::string name;
    const ProviderType* type; ///< null: the catalogue does not contain it any more
    std::string base_url;     ///< as it is stored
    bool is_active = false;
    bool round_robin_accounts = false;
    std::optional<CallKey> own_key{};
    std::vector<CallKey> accounts{};    ///< those that take turns first, in the order of this call
    std::vector<std::string> headers{}; ///< names of those that are sent with each request
    std::vector<std::string> enabled_models{}; ///< in the order added
    std::vector<std::string> all_models{};

    /// Throws Refusal for an address that is good no more. Another provider of the same caller can
    /// still be called.
    BaseUrl url() const { return BaseUrl::parse(base_url); }
    bool needs_model() const { return type == nullptr || !type->is_search; }
    /// Do enabled accounts take turns?
    bool rotates() const;
    /// The keys that a call tries, in their order; `only`: that account's alone. Views of this.
    std::vector<const CallKey*> keys_to_try(const std::optional<AccountId>& only) const;
};

/// A call of a person at a page, which has begun or not. `Provider`: a CallProvider with its keys.
template <class Provider>
struct CallStart {
    Caller caller;
    std::optional<CallId> call{}; ///< null: the caller has rules::max_calls under way
    /// The provider that was named, if it is the caller's; else all active ones, in list order.
    std::vector<Provider> providers{};
};

/// Advances the rotation of the providers, so that the next call begins with another key.
enum class TakesTurn : bool { no, yes };

/// The tokens that a request may take, by an estimate.
struct TokenNeed {
    std::int64_t input = 0;
    std::int64_t output = 0; ///< at most
};
/// A request with an access token, before a late body is read.
struct TokenRequest {
    crypto::TokenProof proof;
    std::string route{};   ///< a word of rules::token_route; empty: a list of models
    std::string network{}; ///< of the client, for the token's owner to see
    TokenNeed need{};      ///< reserved of the token's day; of a late body, by load_provider()
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
/// A call of a tool, which has begun or not.
template <class Provider>
struct TokenCallStart {
    UserId user;
    TokenOutcome outcome = TokenOutcome::begun;
    std::optional<CallId> call{};           ///< if begun
    std::chrono::seconds wait{};            ///< if not begun: until it may succeed
    BodyLimits limits{};                    ///< if begun
    std::vector<TokenProvider> providers{}; ///< if begun: the loaded one, else all, in list order
    std::optional<Provider> loaded{};       ///< as by load_provider(), for the request's model
};
/// The provider of a call that has begun without one.
template <class Provider>
struct LoadedProvider {
    TokenOutcome outcome = TokenOutcome::begun; ///< else one of the day's tokens
    std::optional<Provider> provider{};         ///< if begun
};

} // namespace usershell::store
