#include "web/router.hpp"

#include <algorithm>

namespace usershell::web {

namespace {

/// Visible ASCII without escape or backslash: paths that every server reads alike.
bool is_plain(std::string_view path) {
    return std::all_of(path.begin(), path.end(),
                       [](char c) { return c > ' ' && c <= '~' && c != '%' && c != '\\'; });
}

/// Takes the first segment, and its slash, off a path.
std::string_view take_segment(std::string_view& path) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const std::string_view segment = path.substr(1, end - 1);
    path.remove_prefix(end);
    return segment;
}

bool is_parameter(std::string_view segment) {
    return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

bool match_segment(std::string_view wanted, std::string_view segment, PathParameters& parameters) {
    if (segment.empty() || segment == "." || segment == "..") return false;
    if (!is_parameter(wanted)) return wanted == segment;
    parameters.insert_or_assign(std::string{wanted.substr(1, wanted.size() - 2)},
                                std::string{segment});
    return true;
}

} // namespace

bool match_path(std::string_view pattern, std::string_view path, PathParameters& parameters) {
    if (path.empty() || path.front() != '/') return false;
    if (pattern == "/" || path == "/") return pattern == path;
    const std::string_view whole = path;
    while (!pattern.empty() && !path.empty()) {
        const std::string_view wanted = take_segment(pattern);
        if (wanted.ends_with("...}")) {
            parameters.insert_or_assign(std::string{wanted.substr(1, wanted.size() - 5)},
                                        std::string{path.substr(1)});
            return path.size() > 1;
        }
        if (!match_segment(wanted, take_segment(path), parameters)) return false;
    }
    return pattern.empty() && path.empty() && is_plain(whole); // last: most rows differ before
}

} // namespace usershell::web
