#include "store/calls/execution.hpp"
#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement renew{"renew_calls",
                      by_execute,
                      {"SELECT id FROM usershell.renew_calls($1::uuid[], $2::uuid[]) AS id"}};

const Statement end{"end_call", by_execute, {"SELECT usershell.end_call($1, $2)"}};

const Statement end_together{"end_calls",
                             by_execute,
                             {"SELECT id FROM usershell.end_calls($1::uuid[], $2::uuid[], "
                              "$3::uuid[], $4::uuid[]) AS id"}};

template <class Id>
std::string text_or_null(const std::optional<Id>& id) {
    return id ? id->text() : "NULL";
}

std::vector<std::string> ids_of(Rows rows) {
    return rows.all([](const Row& row) { return row.get<std::string>("id"); });
}

} // namespace

std::vector<std::string> renew_calls(Lease& lease, const std::vector<CallId>& calls) {
    ArrayText users;
    ArrayText ids;
    for (const CallId& call : calls) {
        users.add(call.user.text());
        ids.add(call.id);
    }
    return ids_of(run(lease, renew, users.text(), ids.text()));
}

void end_call(Lease& lease, const CallId& call) { run(lease, end, call.user, call.id); }

std::vector<std::string> end_calls(Lease& lease, const std::vector<PlainEnd>& ends) {
    ArrayText users;
    ArrayText ids;
    ArrayText providers;
    ArrayText accounts;
    for (const PlainEnd& each : ends) {
        users.add(each.call.user.text());
        ids.add(each.call.id);
        providers.add(text_or_null(each.provider));
        accounts.add(text_or_null(each.account));
    }
    return ids_of(
        run(lease, end_together, users.text(), ids.text(), providers.text(), accounts.text()));
}

} // namespace usershell::store
