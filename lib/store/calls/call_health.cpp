#include "base/rules.hpp"
#include "base/text.hpp"
#include "store/calls/execution.hpp"
#include "store/database/run.hpp"

#include <algorithm>
namespace usershell::store {

namespace {

// Evidence lost in a crash is no loss: no call waits for the disk.
const Statement do_not_wait{
    "do_not_wait", by_execute, {"SELECT set_config('synchronous_commit', 'off', true)"}};

const Statement judge_provider{"judge_provider", by_execute, {R"sql(
UPDATE usershell.providers SET health_status = $4, health_message = $5, health_checked_at = now()
WHERE owner_id = $1 AND id = $2 AND base_url = $3)sql"}};

// When its own key was tried, what is known now was known of that key.
const Statement judge_provider_and_key{"judge_provider_and_key", by_execute, {R"sql(
UPDATE usershell.providers
SET health_status = $4, health_message = $5, health_checked_at = now(),
    cooling_until = now() + make_interval(secs => $7)
WHERE owner_id = $1 AND id = $2 AND base_url = $3 AND sealed_key = $6)sql"}};

const Statement judge_account{"judge_account", by_execute, {R"sql(
UPDATE usershell.accounts a
SET health_status = $6, health_message = $7, health_checked_at = now(),
    cooling_until = now() + make_interval(secs => $8)
FROM usershell.providers p
WHERE p.owner_id = $1 AND p.id = $2 AND p.base_url = $3
  AND a.owner_id = $1 AND a.provider_id = $2 AND a.id = $4 AND a.sealed_key = $5)sql"}};

std::string message_of(const std::string& text) {
    return shorten(printable(text), rules::max_explanation);
}

void record_provider(Transaction& transaction, const UserId& owner, const HealthUpdate& report) {
    const auto own =
        std::ranges::find_if(report.keys, [](const KeyHealth& key) { return !key.account; });
    const std::string health{name_of(report.health)};
    const std::string message = message_of(report.message);
    if (own == report.keys.end()) {
        transaction.run(judge_provider, owner, report.provider, report.base_url, health, message);
    } else {
        transaction.run(judge_provider_and_key, owner, report.provider, report.base_url, health,
                        message, Bytes{own->sealed}, own->cool_down);
    }
}

} // namespace

void record_health(Lease& lease, const UserId& owner, const HealthUpdate& report) {
    transact(lease, [&](Transaction& transaction) {
        transaction.run(do_not_wait);
        record_provider(transaction, owner, report);
        for (const KeyHealth& key : report.keys) {
            if (!key.account) continue;
            transaction.run(judge_account, owner, report.provider, report.base_url, *key.account,
                            Bytes{key.sealed}, std::string{name_of(key.health)},
                            message_of(key.message), key.cool_down);
        }
    });
}

} // namespace usershell::store
