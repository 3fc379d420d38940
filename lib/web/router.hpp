// Which handler serves a request: one table of rows a program, matched on the raw path. A pattern's
// segments are literal or `{name}`; a `{name}` matches one segment without '%'. A path with an
// escape, an empty or a dot segment matches nothing (404), so nginx and we can't disagree on what
// it names. A last segment `{name...}` takes the rest of the path as it was sent, escapes included.
// Built at start, read-only afterwards; any thread may match.
#pragma once

#include "web/message.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::web {

using PathParameters = std::map<std::string, std::string, std::less<>>;

/// `parameters` are of use only when it matches.
bool match_path(std::string_view pattern, std::string_view path, PathParameters& parameters);

template <class Row>
struct Match {
    const Row* row = nullptr;    ///< nullptr: no such path, or not with this method
    const Row* first = nullptr;  ///< the path's first row, whatever its method; nullptr: 404
    std::vector<Method> allowed; ///< methods that the path has
    PathParameters parameters;
};

/// Row: anything with `Method method` and `std::string_view pattern`. HEAD is served by the GET
/// row. Literal segments win over `{name}` ones: rows are tried in order, so the table lists them
/// first.
template <class Row>
Match<Row> find_route(const std::vector<Row>& rows, Method method, std::string_view path) {
    const Method wanted = method == Method::head ? Method::get : method;
    Match<Row> match;
    std::string_view taken;
    for (const Row& row : rows) {
        PathParameters parameters;
        if (!taken.empty() && row.pattern != taken) continue;
        if (!match_path(row.pattern, path, parameters)) continue;
        taken = row.pattern;
        if (match.first == nullptr) match.first = &row;
        match.allowed.push_back(row.method);
        if (row.method == wanted) {
            match.row = &row;
            match.parameters = std::move(parameters);
        }
    }
    return match;
}

} // namespace usershell::web
