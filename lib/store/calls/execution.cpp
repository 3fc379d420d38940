#include "store/calls/execution.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "crypto/token.hpp"
#include "store/database/run.hpp"

namespace usershell::store {

namespace {

// The provider named ($3), or all active ones.
const Statement begin{"begin_call", by_execute, {"SELECT * FROM usershell.begin_call($1, $2, $3)"}};

// A second attempt after a lost answer skips one position, which is no harm.
const Statement advance_rotation{
    "next_rotation",
    by_execute,
    {"SELECT position FROM usershell.next_rotation($1, $2, $3) AS position"}};

std::vector<std::string> lines_of(const std::optional<std::string>& text) {
    std::vector<std::string> lines;
    if (text)
        for_each_piece(*text, '\n', [&lines](std::string_view line) { lines.emplace_back(line); });
    return lines;
}

CallKey key_of(const Row& row) {
    return {.account = row.get<std::optional<AccountId>>("account"),
            .name = row.get<std::string>("key_name"),
            .is_enabled = row.get<bool>("is_enabled"),
            .is_in_cooldown = row.get<bool>("is_in_cooldown"),
            .is_unhealthy = row.get<bool>("is_unhealthy"),
            .sealed = crypto::SealedKey{row.bytes("sealed_key")}};
}

CallProvider provider_of(const ProviderId& id, const Row& row) {
    return {.id = id,
            .name = row.get<std::string>("name"),
            .type = row.get<std::string>("type"),
            .base_url = row.get<std::string>("base_url"),
            .is_active = row.get<bool>("is_active"),
            .round_robin_accounts = row.get<bool>("round_robin_accounts"),
            .own_key = {},
            .accounts = {},
            .enabled_models = lines_of(row.get<std::optional<std::string>>("enabled_models")),
            .all_models = lines_of(row.get<std::optional<std::string>>("all_models"))};
}

/// The first row of a provider brings the provider, each row a key.
void add_key(std::vector<CallProvider>& providers, const Row& row) {
    if (row.is_null("name")) return; // no such provider
    const auto id = row.get<ProviderId>("provider");
    if (providers.empty() || providers.back().id != id) providers.push_back(provider_of(id, row));
    if (row.is_null("sealed_key")) return;
    CallKey key = key_of(row);
    CallProvider& provider = providers.back();
    if (key.account)
        provider.accounts.push_back(std::move(key));
    else
        provider.own_key = std::move(key);
}

CallStart start_of(const Row& row, const std::string& calls_token_hash, const std::string& id) {
    const auto user = row.get<UserId>("user_id");
    CallStart start{.caller = {.user = user,
                               .session = row.get<SessionId>("session_id"),
                               .email = {},
                               .display_name = {},
                               .antiforgery_key = row.bytes("antiforgery_key"),
                               .since_sign_in = {},
                               .remembered = false,
                               .calls_token_hash = calls_token_hash},
                    .call = {},
                    .providers = {}};
    if (row.get<bool>("is_begun")) start.call = CallId{user, id};
    return start;
}

} // namespace

std::optional<CallStart> begin_call(Lease& lease, const std::string& calls_token_hash,
                                    const std::optional<ProviderId>& provider) {
    const std::string id = crypto::random_uuid();
    Rows rows = run(lease, begin, Bytes{calls_token_hash}, id, provider);
    if (rows.empty()) return std::nullopt;
    CallStart start = start_of(rows.front(), calls_token_hash, id);
    rows.each([&](const Row& row) { add_key(start.providers, row); });
    return start;
}

std::uint64_t next_rotation(Lease& lease, const CallId& call, const ProviderId& provider) {
    Rows rows = run(lease, advance_rotation, call.user, call.id, provider);
    if (rows.empty()) throw Refusal{ErrorCode::not_signed_in, "Sign in again."};
    return rows.front().get<std::uint64_t>("position");
}

} // namespace usershell::store
