// Values as PostgreSQL writes them as text, by the names of their columns. Used by the store, and
// for rows that another program has read.
#pragma once

#include "base/error.hpp"
#include "base/timestamp.hpp"

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

/// UTF-8 without C0 control characters and DEL: all that the store takes (libpqxx would cut a text
/// at NUL).
bool is_storable(const std::string& text);

/// The lines of a text that a statement has joined by newlines; of NULL none.
std::vector<std::string> lines_of(const std::optional<std::string>& text);

/// The bytes of a bytea in its text form.
std::string bytes_of(std::string_view text);

/// An answer whose columns the reader does not know: their names, and each row's texts.
struct Texts {
    std::vector<std::string> columns;
    std::vector<std::vector<std::optional<std::string>>> rows;
};

/// A row. `Derived` has text_of(column): the text, null for NULL; it throws Error when there is no
/// such column.
template <class Derived>
class RowOf {
public:
    /// The value of a column. Throws Error when it is NULL, unless Value is a
    /// std::optional.
    template <class Value>
    Value get(std::string_view column) const {
        const auto text = self().text_of(column);
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
    std::string bytes(std::string_view column) const {
        return bytes_of(self().text_of(column).value());
    }
    bool is_null(std::string_view column) const { return !self().text_of(column); }

private:
    const Derived& self() const { return static_cast<const Derived&>(*this); }
};

} // namespace usershell::store
