#include "store/database/fault.hpp"

#include "base/log.hpp"

#include <array>
#include <chrono>
#include <stdexcept>

namespace usershell::store {

namespace {

using Kind = StoreFault::Kind;

struct Meaning {
    std::string_view prefix; ///< a whole SQLSTATE or its class
    Kind kind;
};

constexpr std::array meanings{
    Meaning{"08007", Kind::in_doubt},    // transaction resolution unknown
    Meaning{"08", Kind::lost},           // connection exceptions
    Meaning{"22021", Kind::bad_text},    // not in the encoding
    Meaning{"23503", Kind::orphaned},    // foreign key
    Meaning{"23505", Kind::taken},       // unique
    Meaning{"25006", Kind::lost},        // read only: this server is no longer the primary
    Meaning{"40001", Kind::rolled_back}, // serialization failure
    Meaning{"40003", Kind::in_doubt},    // statement completion unknown
    Meaning{"40P01", Kind::rolled_back}, // deadlock
    Meaning{"53", Kind::busy},           // disk full, out of memory, too many connections
    Meaning{"55P03", Kind::busy},        // lock_timeout
    Meaning{"57014", Kind::busy},        // statement_timeout
    Meaning{"57P", Kind::lost},          // shut down, crashed, starting up, database dropped
    Meaning{"58", Kind::busy},           // the server's own input and output
};

} // namespace

StoreFault::StoreFault(Kind kind, const Statement& statement, std::string sqlstate)
    : kind_{kind},
      statement_{statement.name},
      sqlstate_{std::move(sqlstate)},
      conflict_{statement.conflict},
      what_{"Store: " + std::string{statement_} + " failed, SQLSTATE " +
            (sqlstate_.empty() ? "unknown" : sqlstate_)} {}

StoreFault::StoreFault(std::string reason)
    : kind_{Kind::lost},
      statement_{"connect"},
      what_{"The store can't be reached"} {
    if (!reason.empty()) what_ += ": " + std::move(reason);
}

void StoreFault::raise() const {
    switch (kind_) {
    case Kind::lost:
    case Kind::in_doubt:
    case Kind::rolled_back:
    case Kind::busy:
        log(Level::warning, "store unavailable", {{"cause", what_}});
        throw unavailable("The store can't be reached. Try again in a moment.",
                          std::chrono::seconds{1});
    case Kind::taken:
        if (conflict_.empty()) break;
        throw Refusal{ErrorCode::conflict, std::string{conflict_}};
    case Kind::orphaned:
        throw not_found();
    case Kind::bad_text:
        throw not_text();
    case Kind::other:
        break;
    }
    throw std::runtime_error{what_};
}

Refusal not_text() {
    return {ErrorCode::invalid_field, "Text must be UTF-8 without control characters."};
}

StoreFault::Kind kind_of_sqlstate(std::string_view sqlstate) {
    for (const Meaning& meaning : meanings) {
        if (sqlstate.starts_with(meaning.prefix)) return meaning.kind;
    }
    return Kind::other;
}

} // namespace usershell::store
