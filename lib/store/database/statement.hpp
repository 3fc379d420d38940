// Statements, their parameters and their rows. Inside lib/store only.
#pragma once

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/sentence.hpp"
#include "store/database/values.hpp"

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <pqxx/result>
#include <pqxx/strconv>

namespace usershell::store {

// A statement of SQL under a name of its own: a type, so that no text put together at run time can
// be taken for one. Each is a constant beside the function that uses it, and registers itself by
// being constructed. Connections prepare it by name, and a test executes each one as every role
// that uses it (tests/store).
//
// The list of statements begins as a null pointer before any constructor runs, and is only read
// after main() has begun. A linker drops unused files of a static library, with their statements;
// the tests link the whole library and compare the list with the sources.

/// The database roles that run a statement: usershell_owner and so on.
enum Roles : unsigned char {
    by_owner = 1,
    by_manage = 2,
    by_execute = 4,
    by_mail = 8,
    by_rewrap = 16,
    by_auth = 32,
    by_opener = 64,
    by_pages = by_auth | by_manage,
    by_all = by_owner | by_pages | by_execute | by_opener | by_mail | by_rewrap,
};

class Statement {
public:
    /// Only as a constant of a namespace: it is never unregistered. `parts` are joined by spaces
    /// (several statements share a list of columns). `conflict`: what to tell the caller when it
    /// breaks a unique constraint, where that is the caller's doing.
    Statement(std::string_view name, Roles roles, std::initializer_list<std::string_view> parts,
              English conflict = {});
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    std::string_view name() const { return name_; }
    Roles roles() const { return roles_; }
    const std::string& text() const { return text_; }
    English conflict() const { return conflict_; }

    /// Every statement linked into this program, by name. Any thread, once main() has begun.
    static const std::vector<const Statement*>& all();

private:
    std::string_view name_;
    Roles roles_;
    std::string text_;
    English conflict_;
    const Statement* next_;

    static const Statement* newest_;
};

// Values on their way into a statement: what libpqxx takes for each of our types.

/// A bytea parameter, sent in its text form.
struct Bytes {
    const std::string& value;
};

/// PostgreSQL's text form of an array. `element`, a function or a member, gives the text of each
/// value, with quotes where it needs them.
template <class Value, class Element>
std::string array_of(const std::vector<Value>& values, Element element) {
    std::string text;
    for (const Value& value : values)
        text.append(text.empty() ? "" : ",").append(std::invoke(element, value));
    return "{" + text + "}";
}

/// PostgreSQL's text form of a composite: each field in quotes, its quotes and backslashes doubled.
std::string composite_of(std::initializer_list<std::string> fields);

/// PostgreSQL's text form of bytes; and as an element of an array.
std::string bytea(std::string_view bytes);
std::string quoted_bytea(std::string_view bytes);

/// Throws Refusal invalid_field for a text that is not storable.
const std::string& parameter(const std::string& text);
void parameter(const char*) = delete; // would be a bool
std::string parameter(const Bytes& bytes);
inline bool parameter(bool value) { return value; }
inline int parameter(int value) { return value; }
inline std::int64_t parameter(std::int64_t value) { return value; }
inline long long parameter(std::chrono::seconds value) { return value.count(); }
template <class Kind>
const std::string& parameter(const Id<Kind>& id) {
    return id.text();
}
template <class Value>
std::optional<std::string> parameter(const std::optional<Value>& value) {
    if (!value) return std::nullopt;
    return pqxx::to_string(parameter(*value));
}

// The rows of an answer, read by column name. A row is good as long as its Rows is. One
// thread at a time.

/// The columns of an answer. They are mostly read in the order in which they stand, so the search
/// for a name begins behind the one found last.
class Columns {
public:
    explicit Columns(const pqxx::result& result);
    /// Throws Error when there is no such column.
    pqxx::row_size_type find(std::string_view name);

private:
    std::vector<std::string_view> names_; ///< kept by the result
    std::size_t next_ = 0;
};

class Row : public RowOf<Row> {
public:
    Row(const pqxx::row& row, Columns& columns) : row_{row}, columns_{columns} {}

    std::optional<std::string_view> text_of(std::string_view column) const;

private:
    pqxx::row row_;
    Columns& columns_;
};

class Rows {
public:
    explicit Rows(const pqxx::result& result) : result_{result}, columns_{result} {}

    bool empty() const { return result_.empty(); }
    /// How many rows the statement inserted, updated, deleted or selected.
    std::size_t affected() const { return result_.affected_rows(); }
    Texts texts() const;
    /// The first row; there is one.
    Row front() { return {result_.front(), columns_}; }

    /// `read(row)` of the first row; null when there is none.
    template <class Read>
    auto first(Read read) -> std::optional<std::invoke_result_t<Read, Row>> {
        if (empty()) return std::nullopt;
        return read(front());
    }
    /// `read(row)` of each row.
    template <class Read>
    auto all(Read read) -> std::vector<std::invoke_result_t<Read, Row>> {
        std::vector<std::invoke_result_t<Read, Row>> values;
        values.reserve(result_.size());
        for (const pqxx::row& row : result_) values.push_back(read(Row{row, columns_}));
        return values;
    }
    /// `use(row)` with each row.
    template <class Use>
    void each(Use use) {
        for (const pqxx::row& row : result_) use(Row{row, columns_});
    }

private:
    pqxx::result result_;
    Columns columns_;
};

} // namespace usershell::store
