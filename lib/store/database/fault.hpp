// What can go wrong with a statement, as far as it decides what happens next. A StoreFault never
// leaves lib/store: raise() turns it into what the rest of the program knows. It carries the
// statement's name and the SQLSTATE, never the server's message, which may quote values. Inside
// lib/store only.
#pragma once

#include "base/error.hpp"
#include "store/database/statement.hpp"

#include <exception>
#include <string>
#include <string_view>

namespace usershell::store {

class StoreFault : public std::exception {
public:
    enum class Kind {
        lost,        ///< the connection is gone, or was never made
        in_doubt,    ///< the connection went while COMMIT was under way: done or not, nobody knows
        rolled_back, ///< deadlock or serialization failure: the same again may succeed
        busy,        ///< too slow, too many connections, disk full: later, perhaps
        taken,       ///< a unique constraint
        orphaned,    ///< a foreign key: what it belongs to is gone
        bad_text,    ///< not UTF-8
        other,
    };

    StoreFault(Kind kind, const Statement& statement, std::string sqlstate);
    /// No connection could be made; `reason`: libpq's own words on it, if they are fit to show an
    /// operator.
    explicit StoreFault(std::string reason);

    Kind kind() const { return kind_; }
    /// Its name; "connect", "begin", "commit" for what is none.
    std::string_view statement() const { return statement_; }
    const std::string& sqlstate() const { return sqlstate_; }

    /// The connection can't be used any more.
    bool connection_gone() const { return kind_ == Kind::lost || kind_ == Kind::in_doubt; }
    bool worth_repeating() const { return connection_gone() || kind_ == Kind::rolled_back; }

    /// Throws Refusal `unavailable`, `conflict`, `not_found` or `invalid_field`, else
    /// std::runtime_error.
    [[noreturn]] void raise() const;

    /// Names statement and SQLSTATE; for the log.
    const char* what() const noexcept override { return what_.c_str(); }

private:
    Kind kind_;
    std::string_view statement_;
    std::string sqlstate_;
    std::string_view conflict_;
    std::string what_;
};

/// 400: a text that the store doesn't take.
Refusal not_text();

/// What an SQLSTATE (PostgreSQL manual, appendix A) means here.
StoreFault::Kind kind_of_sqlstate(std::string_view sqlstate);

} // namespace usershell::store
