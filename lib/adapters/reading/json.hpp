// Reading JSON as providers write it, by Boost.JSON: what is not UTF-8 is let through (TokenJoiner
// and printable() see to it), and half a surrogate pair, which Boost.JSON refuses, is handed on as
// the three bytes it would have in UTF-8. Depth is bounded by Boost.JSON's 32, size by the memory
// given.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace usershell::adapters {

namespace json = boost::json;

struct ParsedJson {
    std::optional<json::value> value; ///< null when the text is no JSON
    bool too_large = false;           ///< it needs more than the memory had, or has an object with
                                      ///< more than rules::max_json_members
};

/// Memory that a document may take for each byte that it may have.
inline constexpr std::size_t json_memory = 4;

/// All that it takes comes from `memory`, which outlives the value.
ParsedJson parse_json(std::string_view text, const json::storage_ptr& memory);

/// The value at an RFC 6901 pointer ("/choices/0/delta"), or nullptr.
const json::value* find_value(const json::value& value, std::string_view pointer);

/// The string there; empty when there is none. A view into `value`.
std::string_view text_at(const json::value& value, std::string_view pointer);

/// The array there, or nullptr.
const json::array* array_at(const json::value& value, std::string_view pointer);

/// The whole number there, if it is one and not negative.
std::optional<std::uint64_t> count_at(const json::value& value, std::string_view pointer);

/// True for `true` only.
bool true_at(const json::value& value, std::string_view pointer);

} // namespace usershell::adapters
