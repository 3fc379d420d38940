#include "store/database/fault.hpp"

#include "base/logging/log.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace usershell::store {

namespace {

using enum StoreFault::Kind;

struct Meaning {
    std::string_view prefix; ///< a whole SQLSTATE or its class; the longer one first
    StoreFault::Kind kind;
    Remedy remedy = Remedy::unknown;
};

constexpr std::array meanings{
    Meaning{"08007", commit_in_doubt}, // transaction resolution unknown
    Meaning{"08", connection_lost},    // connection exceptions
    Meaning{"22021", character_not_in_repertoire},
    Meaning{"23503", foreign_key_violation},
    Meaning{"23505", unique_violation},
    Meaning{"25006", connection_lost},      // read only: this server is no longer the primary
    Meaning{"40001", transaction_rollback}, // serialization failure
    Meaning{"40003", commit_in_doubt},      // statement completion unknown
    Meaning{"40P01", transaction_rollback}, // deadlock
    Meaning{"53300", insufficient_resources, Remedy::more_connections},
    Meaning{"53", insufficient_resources},                      // disk full, out of memory
    Meaning{"55P03", insufficient_resources, Remedy::end_lock}, // lock_timeout
    Meaning{"57014", insufficient_resources},                   // statement_timeout
    Meaning{"57P", connection_lost},       // shut down, crashed, starting up, dropped
    Meaning{"58", insufficient_resources}, // the server's own input and output
    Meaning{"US003", password_needed},     // ours: usershell.require_recent()
};

const Meaning* meaning_of(std::string_view sqlstate) {
    const auto* const found = std::ranges::find_if(
        meanings, [sqlstate](const Meaning& each) { return sqlstate.starts_with(each.prefix); });
    return found == meanings.end() ? nullptr : found;
}

Remedy remedy_of_sqlstate(std::string_view sqlstate) {
    const Meaning* const meaning = meaning_of(sqlstate);
    return meaning == nullptr ? Remedy::unknown : meaning->remedy;
}

} // namespace

StoreFault::StoreFault(Kind kind, std::string_view statement, std::string sqlstate,
                       English conflict, const std::string& sentence)
    : Error{"Store: " + std::string{statement} + " failed, SQLSTATE " +
                (sqlstate.empty() ? "unknown" : sqlstate),
            remedy_of_sqlstate(sqlstate)},
      kind_{kind},
      sqlstate_{std::move(sqlstate)},
      conflict_{conflict},
      with_words_{what()},
      for_operator_{!sentence.empty()} {
    if (for_operator_) with_words_ += ": " + sentence;
}

StoreFault::StoreFault(std::string reason, Remedy remedy)
    : Error{"The store can't be reached", remedy},
      kind_{connection_lost},
      with_words_{what()} {
    if (!reason.empty()) with_words_ += ": " + std::move(reason);
}

bool StoreFault::is_connection_lost() const {
    return kind_ == connection_lost || kind_ == commit_in_doubt;
}

bool StoreFault::is_worth_repeating() const {
    return is_connection_lost() || kind_ == transaction_rollback;
}

void StoreFault::raise(bool in_doubt) const {
    switch (kind_) {
    case connection_lost:
    case commit_in_doubt:
    case transaction_rollback:
    case insufficient_resources:
        if (for_operator_) break;
        log(Level::warning, "store unavailable", {{"cause", with_words_}});
        throw in_doubt ? outcome_unknown() : not_reached();
    case unique_violation:
        if (conflict_.text().empty()) break;
        throw Refusal{ErrorCode::conflict, conflict_};
    case foreign_key_violation:
        throw not_found();
    case character_not_in_repertoire:
        throw not_storable();
    case password_needed:
        throw usershell::password_needed();
    case other:
        break;
    }
    throw Error{with_words_, remedy()};
}

Refusal not_reached() {
    return unavailable("The database can’t be reached. Try again in a moment."_en,
                       std::chrono::seconds{1});
}

Refusal outcome_unknown() {
    return {ErrorCode::outcome_unknown,
            "The database did not confirm that this was saved. Check before you repeat it."_en};
}

Refusal not_storable() {
    return {ErrorCode::invalid_field, "Text must be UTF-8 without control characters."_en};
}

StoreFault::Kind kind_of_sqlstate(std::string_view sqlstate) {
    const Meaning* const meaning = meaning_of(sqlstate);
    return meaning == nullptr ? other : meaning->kind;
}

} // namespace usershell::store
