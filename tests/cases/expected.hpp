// JSON as a case expects it, held against what came. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

namespace usershell::test {

/// How `actual` differs from `expected`, in words with the path of the place; nothing when it does
/// not. Objects and lists match exactly, but for the wildcards of case_file.hpp; of objects the
/// order of members does not count.
std::optional<std::string> difference(const boost::json::value& expected,
                                      const boost::json::value& actual);

/// The expectation's text as JSON; `...` at the end of an object becomes the member that lets
/// others in. Throws std::invalid_argument when it is no JSON.
boost::json::value parse_expected(std::string_view text);

/// The value at a dotted path such as providers.0.id, as text (JSON, for what is no string).
std::optional<std::string> value_at(const boost::json::value& document, std::string_view path);

/// `pattern` with * for anything, held against the whole of `text`.
bool glob(std::string_view pattern, std::string_view text);

} // namespace usershell::test
