#include "store/calls.hpp"

#include "base/ascii.hpp"
#include "base/logging/log.hpp"
#include "base/text.hpp"
#include "crypto/token.hpp"
#include "domain/rules.hpp"
#include "store/database/run.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace usershell::store {

namespace {

const Statement begin{
    "begin_call", by_execute, {"SELECT * FROM usershell.begin_call($1, $2, $3, $4)"}};

const Statement begin_by_token{
    "begin_token_call",
    by_execute,
    {"SELECT * FROM usershell.begin_token_call($1, $2, $3, $4, $5, $6, $7, $8)"}};

const Statement load{
    "load_provider", by_execute, {"SELECT * FROM usershell.load_provider($1, $2, $3, $4, $5, $6)"}};

const Statement sees{"model_sees", by_execute, {"SELECT usershell.model_sees($1, $2, $3) AS sees"}};

const Statement renew{"renew_calls",
                      by_execute,
                      {"SELECT id FROM usershell.renew_calls($1::uuid[], $2::uuid[]) AS id"}};

const Statement end{"end_calls", by_execute, {"SELECT usershell.end_calls($1)"}};

CallKey key_of(const Row& row) {
    return {.account = row.get<std::optional<AccountId>>("account"),
            .name = row.get<std::string>("key_name"),
            .is_enabled = row.get<bool>("is_enabled"),
            .is_in_cooldown = row.get<bool>("is_in_cooldown"),
            .is_unhealthy = row.get<bool>("is_unhealthy"),
            .sealed = crypto::SealedKey{row.bytes("sealed_key")}};
}

/// Another provider of the same caller can still be called, so a bad address is no exception here.
std::variant<BaseUrl, Refusal> parsed(const std::string& base_url) {
    try {
        return BaseUrl::parse(base_url);
    } catch (const Refusal& refusal) {
        return refusal;
    }
}

CallProvider provider_of(const ProviderId& id, const Row& row) {
    return {.id = id,
            .name = row.get<std::string>("name"),
            .type = find_provider_type(row.get<std::string>("type")),
            .base_url = parsed(row.get<std::string>("base_url")),
            .is_active = row.get<bool>("is_active"),
            .round_robin_accounts = row.get<bool>("round_robin_accounts"),
            .enabled_models = lines_of(row.get<std::optional<std::string>>("enabled_models")),
            .all_models = lines_of(row.get<std::optional<std::string>>("all_models"))};
}

/// The first row of a provider brings the provider, each row a key; a name without an account is
/// that of a header.
void add_key(std::vector<CallProvider>& providers, const Row& row) {
    if (row.is_null("name")) return; // no such provider
    const auto id = row.get<ProviderId>("provider");
    if (providers.empty() || providers.back().id != id) providers.push_back(provider_of(id, row));
    if (row.is_null("sealed_key")) return;
    CallKey key = key_of(row);
    CallProvider& provider = providers.back();
    if (!key.account && !key.name.empty())
        provider.headers.push_back({std::move(key.name), std::move(key.sealed)});
    else if (key.account)
        provider.accounts.push_back(std::move(key));
    else
        provider.own_key = std::move(key);
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

CallStart start_of(const Row& row, const std::string& calls_token_hash, const std::string& id) {
    const auto user = row.get<UserId>("user_id");
    CallStart start{.caller = {.user = user,
                               .session = row.get<SessionId>("session_id"),
                               .antiforgery_key = row.bytes("antiforgery_key"),
                               .calls_token_hash = calls_token_hash}};
    if (row.get<bool>("is_begun")) start.call = CallId{user, id};
    return start;
}

/// Of the provider and of each key a member of end_calls()' `health`.
void add_reports(boost::json::array& reports, const HealthReport& report) {
    const auto add = [&](const std::optional<AccountId>& account, Health health,
                         const std::string& message) -> boost::json::object& {
        boost::json::object& row = reports.emplace_back(boost::json::object{}).as_object();
        row["provider"] = report.provider.text();
        row["base_url"] = report.base_url.text();
        if (account) row["account"] = account->text();
        row["status"] = name_of(health);
        row["message"] = shorten(printable(message), rules::max_health_message);
        return row;
    };
    const auto add_key = [](boost::json::object& row, const KeyReport& key) {
        row["key"] = "\\x" + hex(key.sealed);
        if (key.cooldown) row["cooldown"] = key.cooldown->count();
    };
    const auto own =
        std::ranges::find_if(report.keys, [](const KeyReport& key) { return !key.account; });
    if (report.health) {
        boost::json::object& row = add(std::nullopt, *report.health, report.message);
        if (own != report.keys.end()) add_key(row, *own);
    }
    for (const KeyReport& key : report.keys)
        if (key.account) add_key(add(key.account, key.health, key.message), key);
}

} // namespace

const BaseUrl& CallProvider::url() const {
    if (const auto* refusal = std::get_if<Refusal>(&base_url)) throw Refusal{*refusal};
    return std::get<BaseUrl>(base_url);
}

std::optional<CallStart> begin_call(Lease& lease, const std::string& calls_token_hash,
                                    const std::optional<ProviderId>& provider, TakesTurn turn) {
    const std::string id = crypto::random_uuid();
    Rows rows = run(lease, begin, Bytes{calls_token_hash}, id, provider, turn == TakesTurn::yes);
    if (rows.empty()) return std::nullopt;
    CallStart start = start_of(rows.front(), calls_token_hash, id);
    rows.each([&](const Row& row) { add_key(start.providers, row); });
    return start;
}

std::optional<TokenCallStart> begin_token_call(Lease& lease, const TokenRequest& request) {
    const std::string id = crypto::random_uuid();
    // A text that the store can't hold is no model's name. It would be an error of the statement.
    const bool may_exist = request.model && is_storable(*request.model);
    Rows rows =
        run(lease, begin_by_token, Bytes{request.proof.selector}, Bytes{request.proof.verifier}, id,
            std::string{request.route}, request.network, request.need.input, request.need.output,
            may_exist ? request.model : std::nullopt);
    if (rows.empty()) return std::nullopt;
    const Row first = rows.front();
    const auto user = first.get<UserId>("user_id");
    TokenCallStart start{
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
    std::vector<CallProvider> loaded;
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

std::optional<LoadedProvider> load_provider(Lease& lease, const CallId& call,
                                            const ProviderId& provider, const std::string& model,
                                            TokenNeed need) {
    Rows rows = run(lease, load, call.user, call.id, provider, model, need.input, need.output);
    if (rows.empty()) return std::nullopt;
    std::vector<CallProvider> providers;
    LoadedProvider loaded{rows.front().one_of<TokenOutcome>(token_outcomes, "outcome")};
    rows.each([&](const Row& row) { add_key(providers, row); });
    if (!providers.empty()) loaded.provider = std::move(providers.front());
    return loaded;
}

bool model_sees(Lease& lease, const CallId& call, const std::string& model) {
    return run(lease, sees, call.user, call.id, model).front().get<bool>("sees");
}

std::vector<std::string> renew_calls(Lease& lease, const std::vector<CallId>& calls) {
    const auto user_of = [](const CallId& call) { return call.user.text(); };
    return run(lease, renew, array_of(calls, user_of), array_of(calls, &CallId::id))
        .all([](const Row& row) { return row.get<std::string>("id"); });
}

namespace {

/// One statement for all, because thousands of calls may end in one second.
void end_together(Lease& lease, const std::vector<CallEnd>& ends) {
    boost::json::array given;
    for (const CallEnd& each : ends) {
        boost::json::array reports;
        for (const HealthReport& report : each.health) add_reports(reports, report);
        boost::json::array usage;
        for (const CallUsage& of : each.usage)
            usage.push_back({{"provider", of.provider.text()},
                             {"model", of.model},
                             {"failed", of.failed},
                             {"estimated", of.estimated},
                             {"input", of.input_tokens},
                             {"output", of.output_tokens}});
        given.push_back({{"owner", each.call.user.text()},
                         {"call", each.call.id},
                         {"health", std::move(reports)},
                         {"usage", std::move(usage)}});
    }
    run(lease, end, boost::json::serialize(given));
}

/// False: the store does not take what they have shown. Throws when it gives no answer.
bool could_end(Lease& lease, const std::vector<CallEnd>& ends) {
    try {
        end_together(lease, ends);
        return true;
    } catch (const Refusal& refusal) {
        if (refusal.status() >= 500) throw;
    } catch (const Error& error) {
        log(Level::warning, "end of calls refused",
            {{"count", std::to_string(ends.size())}, {"error", loggable(error)}});
    }
    return false;
}

} // namespace

// One call's numbers must not cost another its end. A call whose report the store refuses ends
// without one: its slot is worth more.
void end_calls(Lease& lease, const std::vector<CallEnd>& ends) {
    if (could_end(lease, ends)) return;
    for (const CallEnd& each : ends)
        if (ends.size() == 1 || !could_end(lease, {each})) end_together(lease, {{each.call}});
}

} // namespace usershell::store
