// The rows of an answer, read by column name. A row is good as long as its Rows is. Inside
// lib/store only; one thread at a time.
#pragma once

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/timestamp.hpp"

#include <pqxx/result>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace usershell::store {

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

template <class Type>
inline constexpr bool is_optional = false;
template <class Type>
inline constexpr bool is_optional<std::optional<Type>> = true;

/// A value from PostgreSQL's text form of it. A Timestamp is a column made by
/// usershell.microseconds().
template <class Value>
Value from_text(std::string_view text) {
    if constexpr (std::same_as<Value, bool>) {
        return text == "t";
    } else if constexpr (std::integral<Value>) {
        Value number{};
        const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
        if (read.ec != std::errc{}) throw Error{"The store answered with no number."};
        return number;
    } else if constexpr (std::same_as<Value, Timestamp>) {
        return Timestamp{std::chrono::microseconds{from_text<long long>(text)}};
    } else if constexpr (std::same_as<Value, std::chrono::seconds>) {
        return std::chrono::seconds{from_text<long long>(text)};
    } else if constexpr (std::same_as<Value, std::string>) {
        return std::string{text};
    } else {
        return Value::parse(text).value(); // an Id
    }
}

/// The lines of a text that a statement has joined by newlines; of NULL none.
std::vector<std::string> lines_of(const std::optional<std::string>& text);

/// The bytes of a bytea that is not NULL.
std::string bytes_of(const pqxx::field& field);

class Row {
public:
    Row(const pqxx::row& row, Columns& columns) : row_{row}, columns_{columns} {}

    /// The value of a column. Throws Error when it is NULL, unless Value is a
    /// std::optional.
    template <class Value>
    Value get(std::string_view column) const {
        const auto text = text_of(column);
        if constexpr (is_optional<Value>) {
            if (!text) return std::nullopt;
            return from_text<typename Value::value_type>(*text);
        } else {
            if (!text) throw Error{"Column " + std::string{column} + " is NULL."};
            return from_text<Value>(*text);
        }
    }

    /// The value of an enumeration whose words are `words`, in its order. Of an unknown word it is
    /// one past the last.
    template <class Enum, std::size_t count>
    Enum one_of(const std::array<std::string_view, count>& words, std::string_view column) const {
        const auto text = get<std::string>(column);
        return static_cast<Enum>(std::ranges::find(words, text) - words.begin());
    }

    /// The bytes of a bytea column that is not NULL.
    std::string bytes(std::string_view column) const;
    bool is_null(std::string_view column) const { return !text_of(column); }

private:
    std::optional<std::string_view> text_of(std::string_view column) const;

    pqxx::row row_;
    Columns& columns_;
};

class Rows {
public:
    explicit Rows(const pqxx::result& result) : result_{result}, columns_{result} {}

    bool empty() const { return result_.empty(); }
    /// How many rows the statement inserted, updated, deleted or selected.
    std::size_t affected() const { return result_.affected_rows(); }
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
