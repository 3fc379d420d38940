#include "opener/wire/call_starts.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace usershell::opener {

namespace {

using Row = Answer::Row;
using Value = std::optional<std::string>;

template <class Kind>
Value text_of(const std::optional<Id<Kind>>& id) {
    return id ? Value{id->text()} : std::nullopt;
}
Value flag_of(bool value) { return value ? "t" : "f"; }
/// More than any token has a day is as good as this.
Value count_of(std::int64_t tokens) {
    return std::to_string(std::clamp<std::int64_t>(tokens, 0, 999'999'999'999));
}

std::vector<std::string> lines_of(const Row& row, std::string_view column) {
    return store::lines_of(row.get<std::optional<std::string>>(column));
}

CallKey key_of(const Row& row) {
    return {.account = row.get<std::optional<AccountId>>("account"),
            .name = row.get<std::string>("key_name"),
            .is_enabled = row.get<bool>("is_enabled"),
            .is_in_cooldown = row.get<bool>("is_in_cooldown"),
            .is_unhealthy = row.get<bool>("is_unhealthy"),
            .opened = row.opened()};
}

CallProvider provider_of(const ProviderId& id, const Row& row) {
    return {.id = id,
            .name = row.get<std::string>("name"),
            .type = find_provider_type(row.get<std::string>("type")),
            .base_url = row.get<std::string>("base_url"),
            .is_active = row.get<bool>("is_active"),
            .round_robin_accounts = row.get<bool>("round_robin_accounts"),
            .enabled_models = lines_of(row, "enabled_models"),
            .all_models = lines_of(row, "all_models")};
}

/// The first row of a provider brings the provider, each row a key; a name without an account is
/// that of a header.
void add_key(std::vector<CallProvider>& providers, const Row& row) {
    if (row.is_null("name")) return; // no such provider
    const auto id = row.get<ProviderId>("provider");
    if (providers.empty() || providers.back().id != id) providers.push_back(provider_of(id, row));
    if (row.is_null("key_name")) return;
    CallKey key = key_of(row);
    CallProvider& provider = providers.back();
    if (!key.account && !key.name.empty())
        provider.headers.push_back({std::move(key.name), std::move(key.opened)});
    else if (key.account)
        provider.accounts.push_back(std::move(key));
    else
        provider.own_key = std::move(key);
}

TokenProvider token_provider_of(const Row& row) {
    return {.id = row.get<ProviderId>("provider"),
            .handle = row.get<std::string>("handle"),
            .type = find_provider_type(row.get<std::string>("type")),
            .is_active = row.get<bool>("is_active"),
            .models = lines_of(row, "models"),
            .allowed = lines_of(row, "allowed_models")};
}

/// In the order of TokenOutcome.
constexpr std::array<std::string_view, 7> token_outcomes{
    "begun",           "route_not_allowed", "tokens_spent",     "too_many_tokens",
    "tokens_reserved", "no_slot",           "too_many_requests"};

TokenOutcome outcome_of(const Row& row) {
    return row.one_of<TokenOutcome>(token_outcomes, "outcome");
}

} // namespace

// Without rotation there is one key, the provider's own. With it, each call begins at the next
// enabled account, by a counter in the store that all processes share. The store returns the
// accounts in the order of the call (sql/0022_calls.sql, keys_in_turn). A key in cooldown is tried
// last instead of not at all: its cooldown is often a guess, and a call that may succeed is better
// than none.
std::vector<CallKey*> CallProvider::keys_to_try(const std::optional<AccountId>& only) {
    std::vector<CallKey*> keys;
    for (CallKey& key : accounts)
        if (only ? key.account == only : round_robin_accounts && key.is_enabled)
            keys.push_back(&key);
    if (keys.empty() && !only && own_key) keys.push_back(&*own_key);
    return keys;
}

std::optional<CallStart> begin_call(Asker& opener, const CallRequest& request) {
    std::string id = request.id.empty() ? crypto::random_uuid() : request.id;
    const Answer answer =
        opener.ask({store::CallStatement::begin_call,
                    {request.calls_token_hash, id, text_of(request.provider), text_of(request.only),
                     flag_of(request.turn == TakesTurn::yes)}});
    if (answer.empty()) return std::nullopt;
    const Row row = answer.front();
    const auto user = row.get<UserId>("user_id");
    CallStart start{.caller = {.user = user,
                               .session = row.get<SessionId>("session_id"),
                               .antiforgery_key = row.bytes("antiforgery_key"),
                               .calls_token_hash = request.calls_token_hash}};
    if (row.get<bool>("is_begun")) start.call = store::CallId{user, std::move(id)};
    answer.each([&](const Row& each) { add_key(start.providers, each); });
    return start;
}

std::optional<TokenCallStart> begin_token_call(Asker& opener, const TokenRequest& request) {
    std::string id = crypto::random_uuid();
    // A text that the store can't hold is no model's name.
    const bool may_exist = request.model && request.model->size() <= max_model_name &&
                           store::is_storable(*request.model);
    const Answer answer =
        opener.ask({store::CallStatement::begin_token_call,
                    {request.proof.selector, request.proof.verifier, id, std::string{request.route},
                     request.network, count_of(request.need.input), count_of(request.need.output),
                     may_exist ? request.model : std::nullopt}});
    if (answer.empty()) return std::nullopt;
    const Row first = answer.front();
    const auto user = first.get<UserId>("user_id");
    TokenCallStart start{.user = user,
                         .outcome = outcome_of(first),
                         .wait = first.get<std::chrono::seconds>("wait_seconds")};
    if (start.outcome != TokenOutcome::begun) return start;
    if (!request.route.empty()) start.call = store::CallId{user, std::move(id)};
    start.limits = {.may_use_stored_objects = first.get<bool>("may_use_stored_objects"),
                    .has_model_limit = first.get<bool>("has_model_limit"),
                    .has_day_limit = first.get<bool>("has_day_limit")};
    // With one meaning for the named model, the statement has loaded its provider, whose rows have
    // keys. Else the rows are all providers that the token may use, without keys.
    std::vector<CallProvider> loaded;
    answer.each([&](const Row& row) {
        if (!row.is_null("name")) return add_key(loaded, row);
        if (!row.is_null("handle")) start.providers.push_back(token_provider_of(row));
    });
    if (!loaded.empty()) {
        start.providers = {token_provider_of(first)};
        start.loaded = std::move(loaded.front());
    }
    return start;
}

std::optional<LoadedProvider> load_provider(Asker& opener, const store::CallId& call,
                                            const ProviderId& provider, const std::string& model,
                                            TokenNeed need) {
    const Answer answer = opener.ask({store::CallStatement::load_provider,
                                      {call.user.text(), call.id, provider.text(), model,
                                       count_of(need.input), count_of(need.output)}});
    if (answer.empty()) return std::nullopt;
    std::vector<CallProvider> providers;
    LoadedProvider loaded{outcome_of(answer.front())};
    answer.each([&](const Row& row) { add_key(providers, row); });
    if (!providers.empty()) loaded.provider = std::move(providers.front());
    return loaded;
}

std::optional<NextKey> next_key(Asker& opener, const store::CallId& call,
                                const ProviderId& provider, const std::optional<AccountId>& account,
                                bool with_headers) {
    const Answer answer = opener.ask(
        {store::CallStatement::next_key,
         {call.user.text(), call.id, provider.text(), text_of(account), flag_of(with_headers)}});
    if (answer.empty()) return std::nullopt;
    NextKey next;
    answer.each([&](const Row& row) {
        if (row.is_null("key_name")) return;
        auto name = row.get<std::string>("key_name");
        const auto of = row.get<std::optional<AccountId>>("account");
        next.type = row.get<std::string>("type");
        next.base_url = row.get<std::string>("base_url");
        if (!of && !name.empty())
            next.headers.push_back({std::move(name), row.opened()});
        else if (of == account)
            next.key = row.opened();
    });
    return next;
}

} // namespace usershell::opener
