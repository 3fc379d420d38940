// Access tokens and their usage, of the user whose session the lease presents. For usershell-auth,
// whose functions they are; calls begin with them in store/call_rows.hpp. Errors are those of run()
// (store/database/run.hpp).
#pragma once

#include "base/ids.hpp"
#include "base/timestamp.hpp"
#include "crypto/token.hpp"
#include "domain/catalogue.hpp"
#include "store/database/database.hpp"
#include "store/outbox.hpp"
#include "store/users/users.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

/// An empty list limits nothing.
struct TokenLimits {
    std::string name;
    std::vector<ProviderId> providers{};
    std::vector<std::string> models{}; ///< id of the provider, slash, id of the model
    std::vector<std::string> routes{}; ///< words of rules::token_route
    int requests_a_minute = 0;
    std::optional<std::int64_t> tokens_a_day{};
    bool stored_objects = false;
    std::optional<std::chrono::seconds> lifetime{}; ///< from now on; null: a change keeps the end
};

enum class TokenStart { made, session_ended, cap_reached, not_found };

/// Stores a new token and queues the mail about it. `not_found`: a provider or model is not theirs;
/// `session_ended`: or the sign-in is not good for it.
TokenStart make_token(Lease& lease, const SignInId& sign_in, const AccessTokenId& id,
                      const crypto::TokenProof& proof, const TokenLimits& limits,
                      const std::optional<QueuedMail>& notice);

enum class TokenChange { changed, session_ended, not_found };

/// Puts other limits in the place of a token's. `not_found`: the token has ended, or a provider or
/// model is not theirs.
TokenChange change_token(Lease& lease, const SignInId& sign_in, const AccessTokenId& id,
                         const TokenLimits& limits);

/// Gives a token another secret. The one with the selector `replaced` stays good for `overlap`, a
/// week at most. `not_found`: the token has ended, or has another secret by now.
TokenChange renew_token(Lease& lease, const SignInId& sign_in, const AccessTokenId& id,
                        const std::string& replaced, const crypto::TokenProof& proof,
                        std::chrono::seconds overlap);

/// `not_found`: the token has ended.
TokenChange enable_token(Lease& lease, const SignInId& sign_in, const AccessTokenId& id);
/// False when they have none of that id.
bool disable_token(Lease& lease, const AccessTokenId& id);

struct AccessToken {
    AccessTokenId id;
    std::string name;
    std::string selector;
    // Its limits. Null: none; empty: what it was limited to is gone.
    std::optional<std::vector<std::string>> provider_ids{};
    std::optional<std::vector<std::string>> providers{}; ///< their names, in the same order
    std::optional<std::vector<std::string>> model_ids{}; ///< as TokenLimits has them
    std::optional<std::vector<std::string>> models{};    ///< model@handle, in the same order
    std::optional<std::vector<std::string>> routes{};
    int requests_a_minute = 0;
    std::optional<std::int64_t> tokens_a_day{};
    bool stored_objects = false;
    bool enabled = true;
    Timestamp created_at{};
    Timestamp expires_at{};
    std::string old_selector{}; ///< of the secret before the last renewal, if that is good, too
    std::optional<Timestamp> old_expires_at{};
    std::optional<Timestamp> last_used_at{};
    std::string last_used_network{};
};
/// The tokens that have not ended, the newest first.
std::vector<AccessToken> own_tokens(Lease& lease);

/// False when they have none of that id.
bool revoke_token(Lease& lease, const AccessTokenId& id);

/// A provider that a token can be limited to.
struct TokenChoice {
    ProviderId id;
    std::string name;
    std::string handle;
    const ProviderType* type;        ///< null: the catalogue does not contain it any more
    std::vector<std::string> models; ///< the enabled ones
    /// As tools name them, in the same order: the id alone where it is enough, else model@handle.
    std::vector<std::string> names;
};
std::vector<TokenChoice> token_choices(Lease& lease);

/// The calls of a day with one token, provider and model.
struct UsageRow {
    std::string day;        ///< "2026-11-25", in UTC
    std::string token;      ///< its id; nil: the page
    std::string token_name; ///< empty: the page, or a token that is gone
    std::string provider;
    std::string provider_name; ///< empty: it is gone
    std::string model;
    std::int64_t calls = 0;
    std::int64_t failures = 0;
    std::int64_t estimates = 0; ///< calls whose tokens were estimated
    std::int64_t input_tokens = 0;
    std::int64_t output_tokens = 0;
};
/// Of the last `days` days, the newest first; at most 50,000 rows.
std::vector<UsageRow> own_usage(Lease& lease, int days);

/// The usage of a day in one line of the page: of a token, a provider or a model. `row` names it,
/// and has nothing of the others. Ended tokens have no id, removed providers neither.
struct UsageSum {
    enum class Of { token, provider, model };
    Of of;
    UsageRow row;
};
/// Added by the database: of each kind the `lines` lines with the most tokens in the last `days`
/// days.
std::vector<UsageSum> usage_sums(Lease& lease, int days, std::size_t lines);

/// Removes tokens that have ended and usage that is too old, of all users, at most `limit` of each;
/// returns how many rows.
int sweep_tokens(Lease& lease, int limit);

// Access tokens as the operator sees and revokes them: role usershell_owner alone (usershellctl).

struct TokenSummary {
    AccessTokenId id;
    std::string name;
    std::string selector;
    bool enabled = true;
    Timestamp created_at{};
    Timestamp expires_at{};
    std::optional<Timestamp> last_used_at{};
    std::string last_used_network{};
};
/// The user's that have not ended, the newest first.
std::vector<TokenSummary> list_tokens(Lease& lease, const UserId& user);

/// Revokes the user's token of that id, or all of theirs (null) made on that day of UTC
/// ("2026-11-25") or later (null: ever). Returns how many.
int operator_revoke_tokens(Lease& lease, const UserId& user, const std::optional<AccessTokenId>& id,
                           const std::optional<std::string>& since);

} // namespace usershell::store
