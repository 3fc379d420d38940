// One pass over a JSON text (RFC 8259) that finds members and makes no tree: for bodies that go on
// byte for byte, of which a few members count. Memory depends on the depth alone. The grammar is
// kept strictly, so that no other parser reads a text in another way; numbers are the exception,
// whose characters alone are checked. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace usershell {

/// Called in the order of the text. Members of objects inside arrays count one level more for each
/// array: `choices[0].index` has depth 3.
class JsonVisitor {
public:
    /// A member, before its value, which begins with `first`. `name`: decoded. False: nothing
    /// inside the value is visited, but leave() is called.
    virtual bool enter(std::size_t depth, std::string_view name, char first) = 0;
    /// After its value: its text, quotes included.
    virtual void leave(std::size_t depth, std::string_view name, std::string_view value) = 0;
    /// Around the members of each object that is visited, those inside arrays included.
    virtual void open() {}
    virtual void close() {}

protected:
    ~JsonVisitor() = default;
};

/// False when `text` is not one JSON value, or is nested more deeply than `max_depth`.
bool scan_json(std::string_view text, std::size_t max_depth, JsonVisitor& visitor);

/// A string's text, decoded to UTF-8. Null when `literal` is no string of JSON with its quotes, or
/// has half a surrogate pair.
std::optional<std::string> json_string(std::string_view literal);

} // namespace usershell
