// The failures of a statement, by the way they are handled. A StoreFault never leaves lib/store:
// raise() turns it into a Refusal or another Error. what() has the statement's name and the
// SQLSTATE alone. The server's message, which may quote values, is carried to an operator's
// terminal only. Inside lib/store only.
#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace usershell::store {

class StoreFault : public Error {
public:
    enum class Kind {
        connection_lost,             ///< it is gone, or was never made
        commit_in_doubt,             ///< it was lost during COMMIT, which may have succeeded
        transaction_rollback,        ///< deadlock, serialization failure: repeating it may succeed
        insufficient_resources,      ///< time-outs, too many connections, disk full
        unique_violation,            ///< what was to be written is there already
        foreign_key_violation,       ///< what it belongs to is not there
        character_not_in_repertoire, ///< not UTF-8
        other,
        password_needed, ///< usershell.require_recent()
    };

    /// `statement`: its name; "begin", "commit" or a migration's name for what is none. `conflict`:
    /// Statement::conflict, outlives the fault. `sentence`: the server's, for an operator.
    StoreFault(Kind kind, std::string_view statement, std::string sqlstate, English conflict = {},
               const std::string& sentence = {});
    /// No connection could be made; `reason`: libpq's own words on it, if they are fit to show an
    /// operator.
    StoreFault(std::string reason, Remedy remedy);

    Kind kind() const { return kind_; }
    const std::string& sqlstate() const { return sqlstate_; }

    /// The connection can't be used any more.
    bool is_connection_lost() const;
    /// The same work may succeed on another connection or in another transaction.
    bool is_worth_repeating() const;

    /// Throws Refusal `unavailable`, `conflict`, `not_found`, `password_needed` or `invalid_field`,
    /// else Error. An operator gets Error with the server's sentence in place of `unavailable`.
    /// `in_doubt`: an earlier COMMIT may have been done; then `outcome_unknown` for `unavailable`.
    [[noreturn]] void raise(bool in_doubt = false) const;

    /// what(), and the words of the server or of libpq, if they may be shown.
    const std::string& with_words() const { return with_words_; }

private:
    Kind kind_;
    std::string sqlstate_;
    English conflict_;
    std::string with_words_;
    bool for_operator_ = false;
};

/// 400: a text that the store doesn't take.
Refusal not_storable();

/// `unavailable`: the store gave no answer, and no change was made.
Refusal not_reached();

/// `outcome_unknown`: COMMIT was sent, and the store gave no answer.
Refusal outcome_unknown();

/// The kind of an SQLSTATE (PostgreSQL manual, appendix A).
StoreFault::Kind kind_of_sqlstate(std::string_view sqlstate);

} // namespace usershell::store
