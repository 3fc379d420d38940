// Values on their way into a statement: what libpqxx takes for each of our types. Inside lib/store
// only.
#pragma once

#include "base/ids.hpp"

#include <pqxx/strconv>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

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

/// UTF-8 without C0 control characters and DEL: all that the store takes (libpqxx would cut a text
/// at NUL).
bool is_storable(const std::string& text);

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

} // namespace usershell::store
