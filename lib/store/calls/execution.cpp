#include "store/calls/execution.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement select_call_provider{
    "load_call_provider", by_execute, {"SELECT * FROM usershell.call_provider($1, $2)"}};

const Statement select_active{
    "active_providers", by_execute, {"SELECT id FROM usershell.call_active_providers($1) AS id"}};

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
            .name = row.get<std::string>("label"),
            .is_enabled = row.get<bool>("is_enabled"),
            .cooling = row.get<bool>("is_cooling"),
            .unhealthy = row.get<bool>("is_unhealthy"),
            .sealed = crypto::SealedKey{row.bytes("sealed_key")}};
}

CallProvider provider_of(const ProviderId& id, const Row& row) {
    return {.id = id,
            .name = row.get<std::string>("name"),
            .type = row.get<std::string>("type"),
            .base_url = row.get<std::string>("base_url"),
            .active = row.get<bool>("is_active"),
            .round_robin_accounts = row.get<bool>("round_robin_accounts"),
            .own_key = {},
            .accounts = {},
            .enabled_models = lines_of(row.get<std::optional<std::string>>("enabled_models")),
            .all_models = lines_of(row.get<std::optional<std::string>>("all_models"))};
}

} // namespace

std::optional<CallProvider> load_call_provider(Lease& lease, const std::string& calls_token_hash,
                                               const ProviderId& provider) {
    Rows rows = run(lease, select_call_provider, Bytes{calls_token_hash}, provider);
    if (rows.empty()) return std::nullopt;
    CallProvider found = provider_of(provider, rows.front());
    rows.each([&](const Row& row) {
        if (row.is_null("sealed_key")) return;
        CallKey key = key_of(row);
        if (key.account) {
            found.accounts.push_back(std::move(key));
        } else {
            found.own_key = std::move(key);
        }
    });
    return found;
}

std::vector<ProviderId> active_providers(Lease& lease, const std::string& calls_token_hash) {
    return run(lease, select_active, Bytes{calls_token_hash}).all([](const Row& row) {
        return row.get<ProviderId>("id");
    });
}

std::uint64_t next_rotation(Lease& lease, const Call& call, const ProviderId& provider) {
    Rows rows = run(lease, advance_rotation, call.user, call.id, provider);
    if (rows.empty()) throw Refusal{ErrorCode::not_signed_in, "Sign in again."};
    return rows.front().get<std::uint64_t>("position");
}

} // namespace usershell::store
