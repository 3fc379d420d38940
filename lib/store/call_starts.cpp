#include "store/call_starts.hpp"

#include "domain/rules.hpp"
#include "store/database/run.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace usershell::store {

namespace {

const Statement begin{
    "begin_call", by_opener, {"SELECT * FROM usershell.begin_call($1, $2, $3, $4)"}};

const Statement begin_by_token{
    "begin_token_call",
    by_opener,
    {"SELECT * FROM usershell.begin_token_call($1, $2, $3, $4, $5, $6, $7, $8)"}};

const Statement load{
    "load_provider", by_opener, {"SELECT * FROM usershell.load_provider($1, $2, $3, $4, $5, $6)"}};

const Statement next{
    "next_key", by_opener, {"SELECT * FROM usershell.next_key($1, $2, $3, $4, $5)"}};

CallKey key_of(const Row& row) {
    return {.account = row.get<std::optional<AccountId>>("account"),
            .name = row.get<std::string>("key_name"),
            .is_enabled = row.get<bool>("is_enabled"),
            .is_in_cooldown = row.get<bool>("is_in_cooldown"),
            .is_unhealthy = row.get<bool>("is_unhealthy")};
}

SealedProvider provider_of(const ProviderId& id, const Row& row) {
    return {CallProvider{
        .id = id,
        .name = row.get<std::string>("name"),
        .type = find_provider_type(row.get<std::string>("type")),
        .base_url = row.get<std::string>("base_url"),
        .is_active = row.get<bool>("is_active"),
        .round_robin_accounts = row.get<bool>("round_robin_accounts"),
        .enabled_models = lines_of(row.get<std::optional<std::string>>("enabled_models")),
        .all_models = lines_of(row.get<std::optional<std::string>>("all_models"))}};
}

/// The first row of a provider brings the provider, each row a key; a name without an account is
/// that of a header.
void add_key(std::vector<SealedProvider>& providers, const Row& row) {
    if (row.is_null("name")) return; // no such provider
    const auto id = row.get<ProviderId>("provider");
    if (providers.empty() || providers.back().id != id) providers.push_back(provider_of(id, row));
    if (row.is_null("sealed_key")) return;
    crypto::SealedKey sealed{row.bytes("sealed_key")};
    CallKey key = key_of(row);
    SealedProvider& provider = providers.back();
    if (key.account) {
        provider.accounts.push_back(std::move(key));
        provider.sealed_accounts.push_back(std::move(sealed));
    } else if (!key.name.empty()) {
        provider.headers.push_back(std::move(key.name));
        provider.sealed_headers.push_back(std::move(sealed));
    } else {
        provider.own_key = std::move(key);
        provider.sealed_own = std::move(sealed);
    }
}

TokenProvider token_provider_of(const Row& row) {
    const auto lines = [&](std::string_view column) {
        return lines_of(row.get<std::optional<std::string>>(column));
    };
    return {.id = row.get<ProviderId>("provider"),
            .handle = row.get<std::string>("handle"),
            .type = find_provider_type(row.get<std::string>("type")),
            .is_active = row.get<bool>("is_active"),
            .models = lines("models"),
            .allowed = lines("allowed_models")};
}

/// In the order of TokenOutcome.
constexpr std::array<std::string_view, 7> token_outcomes{
    "begun",           "route_not_allowed", "tokens_spent",     "too_many_tokens",
    "tokens_reserved", "no_slot",           "too_many_requests"};

CallStart<SealedProvider> start_of(const Row& row, const std::string& calls_token_hash,
                                   const std::string& id) {
    const auto user = row.get<UserId>("user_id");
    CallStart<SealedProvider> start{.caller = {.user = user,
                                               .session = row.get<SessionId>("session_id"),
                                               .antiforgery_key = row.bytes("antiforgery_key"),
                                               .calls_token_hash = calls_token_hash}};
    if (row.get<bool>("is_begun")) start.call = CallId{user, id};
    return start;
}

} // namespace

const crypto::SealedKey& SealedProvider::sealed(const CallKey& key) const {
    if (!key.account) return sealed_own.value();
    return sealed_accounts.at(static_cast<std::size_t>(&key - accounts.data()));
}

std::optional<CallStart<SealedProvider>>
begin_call(Lease& lease, const std::string& calls_token_hash, const std::string& id,
           const std::optional<ProviderId>& provider, TakesTurn turn) {
    Rows rows = run(lease, begin, Bytes{calls_token_hash}, id, provider, turn == TakesTurn::yes);
    if (rows.empty()) return std::nullopt;
    CallStart<SealedProvider> start = start_of(rows.front(), calls_token_hash, id);
    rows.each([&](const Row& row) { add_key(start.providers, row); });
    return start;
}

std::optional<TokenCallStart<SealedProvider>> begin_token_call(Lease& lease, const std::string& id,
                                                               const TokenRequest& request) {
    // A text that the store can't hold is no model's name. It would be an error of the statement.
    const bool may_exist = request.model && is_storable(*request.model);
    Rows rows =
        run(lease, begin_by_token, Bytes{request.proof.selector}, Bytes{request.proof.verifier}, id,
            request.route, request.network, request.need.input, request.need.output,
            may_exist ? request.model : std::nullopt);
    if (rows.empty()) return std::nullopt;
    const Row first = rows.front();
    const auto user = first.get<UserId>("user_id");
    TokenCallStart<SealedProvider> start{
        .user = user,
        .outcome = first.one_of<TokenOutcome>(token_outcomes, "outcome"),
        .wait = first.get<std::chrono::seconds>("wait_seconds"),
    };
    if (start.outcome != TokenOutcome::begun) return start;
    start.call = CallId{user, id};
    start.limits = {.may_use_stored_objects = first.get<bool>("may_use_stored_objects"),
                    .has_model_limit = first.get<bool>("has_model_limit"),
                    .has_day_limit = first.get<bool>("has_day_limit")};
    // With one meaning for the named model, the statement has loaded its provider, whose rows have
    // keys. Else the rows are all providers that the token may use, without keys.
    std::vector<SealedProvider> loaded;
    rows.each([&](const Row& row) {
        if (!row.is_null("name")) return add_key(loaded, row);
        if (!row.is_null("handle")) start.providers.push_back(token_provider_of(row));
    });
    if (!loaded.empty()) {
        start.providers = {token_provider_of(first)};
        start.loaded = std::move(loaded.front());
    }
    return start;
}

std::optional<LoadedProvider<SealedProvider>> load_provider(Lease& lease, const CallId& call,
                                                            const ProviderId& provider,
                                                            const std::string& model,
                                                            TokenNeed need) {
    Rows rows = run(lease, load, call.user, call.id, provider, model, need.input, need.output);
    if (rows.empty()) return std::nullopt;
    std::vector<SealedProvider> providers;
    LoadedProvider<SealedProvider> loaded{
        rows.front().one_of<TokenOutcome>(token_outcomes, "outcome")};
    rows.each([&](const Row& row) { add_key(providers, row); });
    if (!providers.empty()) loaded.provider = std::move(providers.front());
    return loaded;
}

std::optional<SealedNextKey> next_key(Lease& lease, const CallId& call, const ProviderId& provider,
                                      const std::optional<AccountId>& account, bool with_headers) {
    Rows rows = run(lease, next, call.user, call.id, provider, account, with_headers);
    if (rows.empty()) return std::nullopt;
    SealedNextKey found{.type = rows.front().get<std::string>("type"),
                        .base_url = rows.front().get<std::string>("base_url")};
    rows.each([&](const Row& row) {
        if (row.is_null("sealed_key")) return;
        crypto::SealedKey sealed{row.bytes("sealed_key")};
        if (row.is_null("header"))
            found.sealed = std::move(sealed);
        else
            found.headers.push_back({row.get<std::string>("header"), std::move(sealed)});
    });
    return found;
}

} // namespace usershell::store
