#include "store/calls/execution.hpp"
#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement renew{
    "renew_calls", by_execute, {"SELECT usershell.renew_calls($1::uuid[], $2::uuid[])"}};

const Statement end{"end_call", by_execute, {"SELECT usershell.end_call($1, $2)"}};

} // namespace

void renew_calls(Lease& lease, const std::vector<Call>& calls) {
    ArrayText users;
    ArrayText ids;
    for (const Call& call : calls) {
        users.add(call.user.text());
        ids.add(call.id);
    }
    run(lease, renew, users.text(), ids.text());
}

void end_call(Lease& lease, const Call& call) { run(lease, end, call.user, call.id); }

} // namespace usershell::store
