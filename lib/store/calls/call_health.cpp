#include "base/rules.hpp"
#include "base/text.hpp"
#include "store/calls/execution.hpp"
#include "store/database/run.hpp"

#include <algorithm>
#include <optional>

namespace usershell::store {

namespace {

const Statement judge_provider{"judge_provider",
                               by_execute,
                               {"SELECT usershell.judge_provider($1, $2, $3, $4, $5, $6, $7, $8)"}};

const Statement judge_account{
    "judge_account",
    by_execute,
    {"SELECT usershell.judge_account($1, $2, $3, $4, $5, $6, $7, $8, $9)"}};

const Statement conclude{
    "conclude_call",
    by_execute,
    {"SELECT usershell.conclude_call($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"}};

std::string message_of(const std::string& text) {
    return shorten(printable(text), rules::max_explanation);
}

/// What is written of a provider.
struct ProviderJudgement {
    explicit ProviderJudgement(const HealthUpdate& report) {
        if (!report.health) return;
        health = std::string{name_of(*report.health)};
        message = message_of(report.message);
        const auto own =
            std::ranges::find_if(report.keys, [](const KeyHealth& each) { return !each.account; });
        if (own == report.keys.end()) return;
        key.emplace(Bytes{own->sealed});
        cooldown = own->cooldown;
    }

    std::optional<std::string> health;
    std::optional<std::string> message;
    std::optional<Bytes> key; ///< its own, if that was tried
    std::optional<std::chrono::seconds> cooldown;
};

/// What is written of an account; nothing of none.
struct AccountJudgement {
    AccountJudgement() = default;
    explicit AccountJudgement(const KeyHealth& found)
        : account{found.account},
          health{std::string{name_of(found.health)}},
          message{message_of(found.message)},
          key{Bytes{found.sealed}},
          cooldown{found.cooldown} {}

    std::optional<AccountId> account;
    std::optional<std::string> health;
    std::optional<std::string> message;
    std::optional<Bytes> key;
    std::optional<std::chrono::seconds> cooldown;
};

std::vector<AccountJudgement> accounts_of(const HealthUpdate& report) {
    std::vector<AccountJudgement> accounts;
    for (const KeyHealth& key : report.keys)
        if (key.account) accounts.emplace_back(key);
    return accounts;
}

bool is_well(const KeyHealth& key) {
    return key.health == Health::healthy && key.message.empty() && !key.cooldown;
}

} // namespace

void record_health(Lease& lease, const CallId& call, const HealthUpdate& report) {
    transact(lease, [&](Transaction& transaction) {
        const ProviderJudgement own{report};
        if (own.health)
            transaction.run(judge_provider, call.user, call.id, report.provider, report.base_url,
                            own.health, own.message, own.key, own.cooldown);
        for (const AccountJudgement& each : accounts_of(report))
            transaction.run(judge_account, call.user, call.id, report.provider, report.base_url,
                            each.account, each.health, each.message, each.key, each.cooldown);
    });
}

std::optional<PlainEnd> plain_end(const CallId& call, const HealthUpdate* report) {
    if (report == nullptr) return PlainEnd{call};
    const bool is_plain = report->health == Health::healthy && report->message.empty() &&
                          report->keys.size() == 1 && is_well(report->keys.front());
    if (!is_plain) return std::nullopt;
    return PlainEnd{call, report->provider, report->keys.front().account};
}

void end_call(Lease& lease, const CallId& call, const HealthUpdate& report) {
    const auto accounts = accounts_of(report);
    if (accounts.size() > 1) { // some keys have failed
        record_health(lease, call, report);
        return end_call(lease, call);
    }
    const ProviderJudgement own{report};
    const AccountJudgement account = accounts.empty() ? AccountJudgement{} : accounts.front();
    run(lease, conclude, call.user, call.id, report.provider, report.base_url, own.health,
        own.message, own.key, own.cooldown, account.account, account.health, account.message,
        account.key, account.cooldown);
}

} // namespace usershell::store
