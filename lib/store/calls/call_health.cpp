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

std::string message_of(const std::string& text) {
    return shorten(printable(text), rules::max_explanation);
}

void record_provider(Transaction& transaction, const Call& call, const HealthUpdate& report) {
    const auto own =
        std::ranges::find_if(report.keys, [](const KeyHealth& key) { return !key.account; });
    const bool tried = own != report.keys.end();
    transaction.run(judge_provider, call.user, call.id, report.provider, report.base_url,
                    std::string{name_of(*report.health)}, message_of(report.message),
                    tried ? std::optional{Bytes{own->sealed}} : std::nullopt,
                    tried ? own->cool_down : std::nullopt);
}

} // namespace

void record_health(Lease& lease, const Call& call, const HealthUpdate& report) {
    transact(lease, [&](Transaction& transaction) {
        if (report.health) record_provider(transaction, call, report);
        for (const KeyHealth& key : report.keys) {
            if (!key.account) continue;
            transaction.run(judge_account, call.user, call.id, report.provider, report.base_url,
                            *key.account, std::string{name_of(key.health)}, message_of(key.message),
                            Bytes{key.sealed}, key.cool_down);
        }
    });
}

} // namespace usershell::store
