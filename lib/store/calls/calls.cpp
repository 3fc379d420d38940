#include "base/error.hpp"
#include "crypto/token.hpp"
#include "store/calls/execution.hpp"
#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement begin{
    "begin_call", by_execute, {"SELECT user_id, is_begun FROM usershell.begin_call($1, $2)"}};

const Statement renew{
    "renew_calls", by_execute, {"SELECT usershell.renew_calls($1::uuid[], $2::uuid[])"}};

const Statement end{"end_call", by_execute, {"SELECT usershell.end_call($1, $2)"}};

} // namespace

std::optional<Call> begin_call(Lease& lease, const std::string& calls_token_hash) {
    const std::string id = crypto::random_uuid();
    Rows begun = run(lease, begin, Bytes{calls_token_hash}, id);
    if (begun.empty()) throw Refusal{ErrorCode::not_signed_in, "Sign in again."};
    const Row row = begun.front();
    if (!row.get<bool>("is_begun")) return std::nullopt;
    return Call{row.get<UserId>("user_id"), id};
}

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
