// How functions of the store run statements: on the lease's connection, as the lease's user, once
// more on a fresh connection when the first was lost, faults turned into refusals. Inside lib/store
// only.
#pragma once

#include "store/database/connection.hpp"
#include "store/database/database.hpp"

#include <optional>
#include <type_traits>

namespace usershell::store {

/// Calls `work` and, when the connection was lost or the server rolled back, once more; and once
/// more when the answer to a COMMIT was lost. `work` gets the fault that had it called again (of
/// two, the lost answer), or nullptr.
template <class Work>
auto with_retry(Lease& lease, Work work) {
    std::optional<StoreFault> undone;
    std::optional<StoreFault> in_doubt;
    for (;;) {
        try {
            return work(in_doubt ? &*in_doubt : undone ? &*undone : nullptr);
        } catch (const StoreFault& fault) {
            if (fault.connection_gone()) lease.discard();
            auto& same_before = fault.kind() == StoreFault::Kind::in_doubt ? in_doubt : undone;
            if (same_before || !fault.worth_repeating()) fault.raise();
            same_before = fault;
        }
    }
}

/// One statement, committed by itself. It may run twice when the connection is lost while it is
/// under way, so it must read, or write the same the second time as the first.
template <class... Values>
pqxx::result run(Lease& lease, const Statement& statement, const Values&... values) {
    return with_retry(
        lease, [&](const StoreFault*) { return lease.connection().run(statement, values...); });
}

/// A DELETE; true when it found something, also when it did so in a first try whose answer was
/// lost.
template <class... Values>
bool run_delete(Lease& lease, const Statement& statement, const Values&... values) {
    return with_retry(lease, [&](const StoreFault* before) {
        const bool gone = lease.connection().run(statement, values...).affected_rows() > 0;
        return gone || (before != nullptr && before->statement() == statement.name);
    });
}

/// Several statements that are committed together. `work` gets the Transaction and its value is the
/// answer. Whatever was not committed is tried once more when the connection was lost or the server
/// rolled it back; when a COMMIT's answer was lost, `work` is called again with a transaction that
/// is in_doubt(), and has to look first.
template <class Work>
auto transact(Lease& lease, Work work) {
    return with_retry(lease, [&](const StoreFault* before) {
        Transaction transaction{lease.connection(),
                                before != nullptr && before->kind() == StoreFault::Kind::in_doubt};
        if constexpr (std::is_void_v<decltype(work(transaction))>) {
            work(transaction);
            transaction.commit();
        } else {
            auto answer = work(transaction);
            transaction.commit();
            return answer;
        }
    });
}

} // namespace usershell::store
