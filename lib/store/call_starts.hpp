// How usershell-opener begins calls, and reads their sealed keys. The role usershell_opener has no
// right to any table. It has a right to functions of sql/0022_calls.sql and 0023_token_calls.sql,
// which take the token of a caller's session or an access token, or the id of a call that began
// with one. Errors are those of run() (store/database/run.hpp).
#pragma once

#include "base/ids.hpp"
#include "crypto/secret.hpp"
#include "store/call_facts.hpp"
#include "store/database/database.hpp"

#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

/// A provider with its envelopes, in the order of the facts.
struct SealedProvider : CallProvider {
    std::optional<crypto::SealedKey> sealed_own{};
    std::vector<crypto::SealedKey> sealed_accounts{};
    std::vector<crypto::SealedKey> sealed_headers{};

    /// Of one of its keys.
    const crypto::SealedKey& sealed(const CallKey& key) const;
};

/// Begins a call of the caller whose token for calls has that hash, under an id that is new, in one
/// statement. Null when their session is not good. A second attempt after a lost answer may skip a
/// turn.
std::optional<CallStart<SealedProvider>>
begin_call(Lease& lease, const std::string& calls_token_hash, const std::string& id,
           const std::optional<ProviderId>& provider, TakesTurn turn);

/// Begins a call of the owner of an access token, in one statement. Null when the token is not
/// good.
std::optional<TokenCallStart<SealedProvider>> begin_token_call(Lease& lease, const std::string& id,
                                                               const TokenRequest& request);

/// The provider for a call that begin_token_call() has begun, and a turn of its rotation. Reserves
/// what the body needs, now that it is known. Null when the token does not allow that model of that
/// provider, or has ended.
std::optional<LoadedProvider<SealedProvider>> load_provider(Lease& lease, const CallId& call,
                                                            const ProviderId& provider,
                                                            const std::string& model,
                                                            TokenNeed need);

/// The value of an own header.
struct SealedHeader {
    std::string name;
    crypto::SealedKey sealed;
};
/// A key of a call under way, as its row is now.
struct SealedNextKey {
    std::string type;
    std::string base_url;
    std::optional<crypto::SealedKey> sealed{}; ///< null: that key is gone
    std::vector<SealedHeader> headers{};
};
/// That account's key, or the provider's own, with the provider's headers if they are wanted. Null
/// when the call has no right to run, or not with that provider.
std::optional<SealedNextKey> next_key(Lease& lease, const CallId& call, const ProviderId& provider,
                                      const std::optional<AccountId>& account, bool with_headers);

} // namespace usershell::store
