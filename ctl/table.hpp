// A table that a command prints: a line for each row, with tabs between the columns; or, with
// --json, an array of objects.
#pragma once

#include "base/timestamp.hpp"
#include "ctl/command.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace usershell::ctl {

struct Column {
    std::string_view name;     ///< the member in JSON
    std::string_view before{}; ///< text around the value in a line: "3" + " providers"
    std::string_view after{};
};

/// A value. An unknown one (std::monostate) is `null` in JSON and left out of a line. In a line,
/// false is left out too, and true shows only the column's `before` and `after`.
using Cell = std::variant<std::monostate, bool, std::int64_t, std::string>;

/// A moment as operators read it; unknown when there is none.
Cell cell(std::optional<Timestamp> moment);
/// A text; unknown when it is empty.
Cell cell_unless_empty(std::string text);

class Table {
public:
    /// Takes --json out of the arguments.
    Table(Arguments& arguments, std::initializer_list<Column> columns);

    /// One cell a column.
    void add(std::vector<Cell> row);
    /// To standard output.
    void print() const;

private:
    void print_lines() const;
    void print_json() const;

    bool json_;
    std::vector<Column> columns_;
    std::vector<std::vector<Cell>> rows_;
};

} // namespace usershell::ctl
