#include "store/calls/execution.hpp"
#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement renew{
    "renew_calls", by_execute, {"SELECT usershell.renew_calls($1::uuid[], $2::uuid[])"}};

const Statement end{"end_call", by_execute, {"SELECT usershell.end_call($1, $2)"}};

} // namespace

void renew_calls(Lease& lease, const std::vector<Call>& calls) {
    std::string users = "{";
    std::string ids = "{";
    for (const Call& call : calls) {
        if (&call != &calls.front()) {
            users += ',';
            ids += ',';
        }
        users += call.user.text();
        ids += call.id;
    }
    run(lease, renew, users + "}", ids + "}");
}

void end_call(Lease& lease, const Call& call) { run(lease, end, call.user, call.id); }

} // namespace usershell::store
