#include "base/rules.hpp"
#include "crypto/token.hpp"
#include "store/calls/execution.hpp"
#include "store/database/run.hpp"

namespace usershell::store {

namespace {

// Rows locked by others who take a place just now are passed over: no two get one, and nobody
// waits. A second attempt after a lost answer takes the place of the first.
const Statement take_place{"take_call_slot", by_execute, {R"sql(
UPDATE usershell.call_slots c SET holder = $2, expires_at = now() + interval '1 minute'
WHERE c.owner_id = $1 AND c.place = (
    SELECT place FROM usershell.call_slots
    WHERE owner_id = $1 AND (expires_at <= now() OR holder = $2)
    ORDER BY holder IS DISTINCT FROM $2, place LIMIT 1 FOR UPDATE SKIP LOCKED))sql"}};

const Statement make_places{"make_call_slots", by_execute, {R"sql(
INSERT INTO usershell.call_slots (owner_id, place)
SELECT $1::uuid, place FROM generate_series(1, $2) place
ON CONFLICT DO NOTHING)sql"}};

const Statement renew_place{"renew_call_slot", by_execute, {R"sql(
UPDATE usershell.call_slots SET expires_at = now() + interval '1 minute'
WHERE owner_id = $1 AND holder = $2)sql"}};

const Statement give_place_back{"give_call_slot_back", by_execute, {R"sql(
UPDATE usershell.call_slots SET holder = NULL, expires_at = '-infinity'
WHERE owner_id = $1 AND holder = $2)sql"}};

} // namespace

std::optional<std::string> take_call_slot(Lease& lease, const UserId& owner) {
    const std::string holder = crypto::random_uuid();
    const auto taken = [&] { return run(lease, take_place, owner, holder).affected() > 0; };
    if (taken()) return holder;
    run(lease, make_places, owner, rules::max_calls); // the user's first call ever, or all taken
    if (taken()) return holder;
    return std::nullopt;
}

void renew_call_slot(Lease& lease, const UserId& owner, const std::string& slot) {
    run(lease, renew_place, owner, slot);
}

void release_call_slot(Lease& lease, const UserId& owner, const std::string& slot) {
    run(lease, give_place_back, owner, slot);
}

} // namespace usershell::store
