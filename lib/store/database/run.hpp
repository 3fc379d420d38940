// How functions of the store run statements: on the lease's connection, as the lease's user, faults
// turned into refusals, and once more where a fault allows it. Inside lib/store only.
//
// When a connection is lost, what was under way may have been done or not, and only the work itself
// can tell what a second try must look like:
//   * A statement that reads is simply repeated: run().
//   * A transaction lost before its COMMIT was sent has done nothing and is repeated: transact().
//     A server that freezes and goes on later finds no COMMIT, so `unavailable` means
//     that nothing was written. Hence every change that a person makes is a transaction.
//   * One lost while COMMIT was under way may have been committed. The repeated work then gets a
//     Transaction that is in_doubt(), and first looks for the row by the id that we generated
//     before the first try. A statement that writes the same the second time needs no look:
//     write(). A DELETE that finds no row the second time may have deleted it the first time:
//     run_delete().
//   * Without an answer in time the caller gets the Refusal `outcome_unknown`.
// Each kind of loss is repeated once. The two kinds are counted apart, because a connection may
// well be lost again while one looks for what an earlier COMMIT has done, and "maybe committed"
// must not be forgotten over it.
#pragma once

#include "store/database/connection.hpp"
#include "store/database/database.hpp"

#include <optional>
#include <type_traits>

namespace usershell::store {

/// Calls `work` with nullptr; when that throws a StoreFault that is worth repeating, once more with
/// that fault. Of two faults, `work` is given the one that left a COMMIT in doubt.
template <class Work>
auto with_retry(Lease& lease, Work work) {
    std::optional<StoreFault> undone;
    std::optional<StoreFault> in_doubt;
    for (;;) {
        try {
            return work(in_doubt ? &*in_doubt : undone ? &*undone : nullptr);
        } catch (const StoreFault& fault) {
            if (fault.is_connection_lost()) lease.discard();
            auto& same_before =
                fault.kind() == StoreFault::Kind::commit_in_doubt ? in_doubt : undone;
            if (same_before || !fault.is_worth_repeating()) fault.raise(in_doubt.has_value());
            same_before = fault;
        } catch (const Refusal& refusal) {
            if (in_doubt && refusal.code() == ErrorCode::unavailable) throw outcome_unknown();
            throw;
        }
    }
}

/// One statement in autocommit, which may run twice, and once more when a frozen server goes on:
/// one that reads, or whose effect is not a person's change.
template <class... Values>
Rows run(Lease& lease, const Statement& statement, const Values&... values) {
    return with_retry(
        lease, [&](const StoreFault*) { return lease.connection().run(statement, values...); });
}

/// Several statements that are committed together. `work` gets the Transaction, and its value is
/// the answer. It throws to roll back.
template <class Work>
auto transact(Lease& lease, Work work) {
    return with_retry(lease, [&](const StoreFault* before) {
        const bool in_doubt =
            before != nullptr && before->kind() == StoreFault::Kind::commit_in_doubt;
        Transaction transaction{lease.connection(), in_doubt};
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

/// One statement that writes the same the second time as the first.
template <class... Values>
Rows write(Lease& lease, const Statement& statement, const Values&... values) {
    return transact(
        lease, [&](Transaction& transaction) { return transaction.run(statement, values...); });
}

/// A statement that changes something only once, such as a DELETE. `changed(rows)`: it did. True
/// also when a first try, whose answer was lost, may have done so.
template <class Changed, class... Values>
bool run_once(Lease& lease, Changed changed, const Statement& statement, const Values&... values) {
    return transact(lease, [&](Transaction& transaction) {
        Rows rows = transaction.run(statement, values...);
        return changed(rows) || transaction.in_doubt();
    });
}

/// A DELETE; true when there was something to delete.
template <class... Values>
bool run_delete(Lease& lease, const Statement& statement, const Values&... values) {
    return run_once(
        lease, [](Rows& rows) { return rows.affected() > 0; }, statement, values...);
}

} // namespace usershell::store
