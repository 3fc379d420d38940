#include "ctl/table.hpp"

#include "base/text.hpp"

#include <iostream>
#include <type_traits>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::ctl {

namespace {

/// Null when a line leaves the cell out.
std::optional<std::string> text_of(const Cell& value, const Column& column) {
    const auto worded = [&column](const std::string& text) {
        return std::string{column.before} + text + std::string{column.after};
    };
    return std::visit(
        [&](const auto& content) -> std::optional<std::string> {
            using Content = std::decay_t<decltype(content)>;
            if constexpr (std::is_same_v<Content, std::monostate>)
                return std::nullopt;
            else if constexpr (std::is_same_v<Content, bool>)
                return content ? std::optional{worded("")} : std::nullopt;
            else if constexpr (std::is_same_v<Content, std::string>)
                return worded(visible(content));
            else
                return worded(std::to_string(content));
        },
        value);
}

boost::json::value json_of(const Cell& value) {
    return std::visit(
        [](const auto& content) -> boost::json::value {
            if constexpr (std::is_same_v<std::decay_t<decltype(content)>, std::monostate>)
                return nullptr;
            else
                return boost::json::value(content);
        },
        value);
}

} // namespace

Cell cell(std::optional<Timestamp> moment) {
    if (!moment) return {};
    return rfc3339_seconds(*moment);
}

Cell cell_unless_empty(std::string text) {
    if (text.empty()) return {};
    return text;
}

Table::Table(Arguments& arguments, std::initializer_list<Column> columns)
    : json_{arguments.flag("json")},
      columns_{columns} {}

void Table::add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

void Table::print() const { json_ ? print_json() : print_lines(); }

void Table::print_lines() const {
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t at = 0; at < columns_.size(); ++at) {
            const auto text = text_of(row.at(at), columns_[at]);
            if (text) line += (line.empty() ? "" : "\t") + *text;
        }
        std::cout << line << '\n';
    }
}

void Table::print_json() const {
    boost::json::array all;
    for (const auto& row : rows_) {
        boost::json::object object;
        for (std::size_t at = 0; at < columns_.size(); ++at)
            object.emplace(columns_[at].name, json_of(row.at(at)));
        all.push_back(std::move(object));
    }
    std::cout << boost::json::serialize(all) << '\n';
}

} // namespace usershell::ctl
