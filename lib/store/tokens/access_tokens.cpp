#include "store/tokens/access_tokens.hpp"

#include "base/ascii.hpp"
#include "store/database/run.hpp"

#include <array>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::store {

namespace {

const Statement make{
    "make_token", by_auth, {"SELECT usershell.make_token($1, $2, $3, $4, $5, $6, $7) AS outcome"}};

const Statement change{
    "change_token", by_auth, {"SELECT usershell.change_token($1, $2, $3) AS outcome"}};

const Statement renew{
    "renew_token", by_auth, {"SELECT usershell.renew_token($1, $2, $3, $4, $5, $6) AS outcome"}};

const Statement enable{
    "enable_token", by_auth, {"SELECT usershell.enable_token($1, $2) AS outcome"}};

const Statement disable{
    "disable_token", by_auth, {"SELECT usershell.disable_token($1) AS is_there"}};

const Statement list{"own_tokens", by_auth, {"SELECT * FROM usershell.own_tokens()"}};

const Statement revoke{
    "revoke_token", by_auth, {"SELECT usershell.revoke_token($1) AS is_revoked"}};

const Statement choices{"token_choices", by_auth, {"SELECT * FROM usershell.token_choices()"}};

const Statement usage{"own_usage", by_auth, {"SELECT * FROM usershell.own_usage($1)"}};

const Statement sums{"usage_sums", by_auth, {"SELECT * FROM usershell.usage_sums($1, $2)"}};

const Statement sweep{"sweep_tokens", by_auth, {"SELECT usershell.sweep_tokens($1) AS swept"}};

/// In the order of TokenStart.
constexpr std::array<std::string_view, 4> outcomes{"made", "session_ended", "cap_reached",
                                                   "not_found"};
/// In the order of TokenChange.
constexpr std::array<std::string_view, 3> changes{"changed", "session_ended", "not_found"};

std::string document_of(const TokenLimits& limits) {
    boost::json::object document{
        {"name", limits.name},
        {"requests_a_minute", limits.requests_a_minute},
        {"stored_objects", limits.stored_objects},
    };
    if (limits.lifetime) document["lifetime"] = limits.lifetime->count();
    if (limits.tokens_a_day) document["tokens_a_day"] = *limits.tokens_a_day;
    boost::json::array providers;
    for (const ProviderId& each : limits.providers) providers.emplace_back(each.text());
    document["providers"] = std::move(providers);
    document["models"] = boost::json::array(limits.models.begin(), limits.models.end());
    document["routes"] = boost::json::array(limits.routes.begin(), limits.routes.end());
    return boost::json::serialize(document);
}

AccessToken token_of(const Row& row) {
    const auto lines = [&](std::string_view column) -> std::optional<std::vector<std::string>> {
        const auto text = row.get<std::optional<std::string>>(column);
        if (!text) return std::nullopt;
        return text->empty() ? std::vector<std::string>{} : lines_of(text);
    };
    return {.id = row.get<AccessTokenId>("id"),
            .name = row.get<std::string>("name"),
            .selector = row.bytes("selector"),
            .provider_ids = lines("provider_ids"),
            .providers = lines("provider_names"),
            .model_ids = lines("model_ids"),
            .models = lines("models"),
            .routes = lines("routes"),
            .requests_a_minute = row.get<int>("max_requests_a_minute"),
            .tokens_a_day = row.get<std::optional<std::int64_t>>("max_tokens_a_day"),
            .stored_objects = row.get<bool>("may_use_stored_objects"),
            .enabled = row.get<bool>("is_enabled"),
            .created_at = row.get<Timestamp>("created_at"),
            .expires_at = row.get<Timestamp>("expires_at"),
            .old_selector = row.bytes("old_selector"),
            .old_expires_at = row.get<std::optional<Timestamp>>("old_expires_at"),
            .last_used_at = row.get<std::optional<Timestamp>>("last_used_at"),
            .last_used_network = row.get<std::string>("last_used_network")};
}

UsageRow usage_row_of(const Row& row) {
    const auto text = [&row](std::string_view column) {
        return row.get<std::optional<std::string>>(column).value_or("");
    };
    return {.day = text("day"),
            .token = text("token"),
            .token_name = text("token_name"),
            .provider = text("provider"),
            .provider_name = text("provider_name"),
            .model = text("model"),
            .calls = row.get<std::int64_t>("calls"),
            .failures = row.get<std::int64_t>("failures"),
            .estimates = row.get<std::int64_t>("estimates"),
            .input_tokens = row.get<std::int64_t>("input_tokens"),
            .output_tokens = row.get<std::int64_t>("output_tokens")};
}

} // namespace

TokenStart make_token(Lease& lease, const SignInId& sign_in, const AccessTokenId& id,
                      const crypto::TokenProof& proof, const TokenLimits& limits,
                      const std::optional<QueuedMail>& notice) {
    const auto mail = notice ? std::optional{notice->id} : std::nullopt;
    Rows rows =
        write(lease, make, sign_in, id, Bytes{proof.selector}, Bytes{proof.verifier},
              document_of(limits), mail, Bytes{notice ? notice->sealed.bytes() : std::string{}});
    return rows.front().one_of<TokenStart>(outcomes, "outcome");
}

namespace {

/// By a sign-in, which is used up: a first try, whose answer was lost, may have changed it.
template <class... Values>
TokenChange by_sign_in(Lease& lease, const Statement& statement, const Values&... values) {
    return transact(lease, [&](Transaction& transaction) {
        Rows rows = transaction.run(statement, values...);
        const auto outcome = rows.front().one_of<TokenChange>(changes, "outcome");
        const bool is_used_up = outcome == TokenChange::session_ended && transaction.in_doubt();
        return is_used_up ? TokenChange::changed : outcome;
    });
}

} // namespace

TokenChange change_token(Lease& lease, const SignInId& sign_in, const AccessTokenId& id,
                         const TokenLimits& limits) {
    return by_sign_in(lease, change, sign_in, id, document_of(limits));
}

TokenChange renew_token(Lease& lease, const SignInId& sign_in, const AccessTokenId& id,
                        const std::string& replaced, const crypto::TokenProof& proof,
                        std::chrono::seconds overlap) {
    return by_sign_in(lease, renew, sign_in, id, Bytes{replaced}, Bytes{proof.selector},
                      Bytes{proof.verifier}, overlap);
}

TokenChange enable_token(Lease& lease, const SignInId& sign_in, const AccessTokenId& id) {
    return by_sign_in(lease, enable, sign_in, id);
}

bool disable_token(Lease& lease, const AccessTokenId& id) {
    return write(lease, disable, id).front().get<bool>("is_there");
}

std::vector<AccessToken> own_tokens(Lease& lease) { return run(lease, list).all(token_of); }

bool revoke_token(Lease& lease, const AccessTokenId& id) {
    const auto revoked = [](Rows& rows) { return rows.front().get<bool>("is_revoked"); };
    return run_once(lease, revoked, revoke, id);
}

std::vector<TokenChoice> token_choices(Lease& lease) {
    return run(lease, choices).all([](const Row& row) {
        return TokenChoice{row.get<ProviderId>("provider"),
                           row.get<std::string>("name"),
                           row.get<std::string>("handle"),
                           find_provider_type(row.get<std::string>("type")),
                           lines_of(row.get<std::optional<std::string>>("models")),
                           lines_of(row.get<std::optional<std::string>>("model_names"))};
    });
}

std::vector<UsageRow> own_usage(Lease& lease, int days) {
    return run(lease, usage, days).all(usage_row_of);
}

std::vector<UsageSum> usage_sums(Lease& lease, int days, std::size_t lines) {
    return run(lease, sums, days, static_cast<std::int64_t>(lines)).all([](const Row& row) {
        const auto line = row.get<std::string>("line");
        const auto of = line == "token"      ? UsageSum::Of::token
                        : line == "provider" ? UsageSum::Of::provider
                                             : UsageSum::Of::model;
        return UsageSum{of, usage_row_of(row)};
    });
}

int sweep_tokens(Lease& lease, int limit) {
    return run(lease, sweep, limit).front().get<int>("swept");
}

namespace {

const Statement select_tokens{"list_tokens", by_owner, {R"sql(
SELECT id, name, selector, is_enabled, usershell.microseconds(created_at) AS created_at,
       usershell.microseconds(expires_at) AS expires_at, usershell.microseconds(u.used_at) AS last_used_at,
       coalesce(u.network, '') AS last_used_network
FROM usershell.lasting_tokens t LEFT JOIN usershell.token_uses u ON u.owner_id = t.owner_id AND u.token_id = t.id
WHERE t.owner_id = $1 ORDER BY t.created_at DESC, id)sql"}};

const Statement remove_tokens{"operator_revoke_tokens", by_owner, {R"sql(
DELETE FROM usershell.access_tokens
WHERE owner_id = $1 AND ($2::uuid IS NULL OR id = $2)
  AND ($3::date IS NULL OR created_at >= $3::date::timestamp AT TIME ZONE 'UTC'))sql"}};

} // namespace

std::vector<TokenSummary> list_tokens(Lease& lease, const UserId& user) {
    return run(lease, select_tokens, user).all([](const Row& row) {
        return TokenSummary{.id = row.get<AccessTokenId>("id"),
                            .name = row.get<std::string>("name"),
                            .selector = row.bytes("selector"),
                            .enabled = row.get<bool>("is_enabled"),
                            .created_at = row.get<Timestamp>("created_at"),
                            .expires_at = row.get<Timestamp>("expires_at"),
                            .last_used_at = row.get<std::optional<Timestamp>>("last_used_at"),
                            .last_used_network = row.get<std::string>("last_used_network")};
    });
}

int operator_revoke_tokens(Lease& lease, const UserId& user, const std::optional<AccessTokenId>& id,
                           const std::optional<std::string>& since) {
    return static_cast<int>(write(lease, remove_tokens, user, id, since).affected());
}

} // namespace usershell::store
