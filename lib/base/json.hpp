// JSON beyond what Boost.JSON reads by itself: a builder of values, for readers that limit or
// refuse more, and a scanner of texts that are passed on. Pure; any thread may call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/error.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_stack.hpp>

namespace usershell {

/// Builds a value as Boost.JSON's own handler does, for readers that limit or refuse more: they
/// derive from it and hide what they do otherwise. The names and signatures are those that
/// boost::json::basic_parser calls.
class JsonBuilder {
    using Text = boost::json::string_view;
    using Code = boost::json::error_code;

public:
    static constexpr std::size_t max_object_size = boost::json::object::max_size();
    static constexpr std::size_t max_array_size = boost::json::array::max_size();
    static constexpr std::size_t max_key_size = boost::json::string::max_size();
    static constexpr std::size_t max_string_size = boost::json::string::max_size();

    /// `memory`: of the value, and of what is built. The first bytes of the latter are taken from
    /// `scratch`, which outlives the builder.
    explicit JsonBuilder(const boost::json::storage_ptr& memory, unsigned char* scratch = nullptr,
                         std::size_t size = 0)
        : stack_{memory, scratch, size} {
        stack_.reset(memory);
    }
    boost::json::value release() { return stack_.release(); }

    bool on_document_begin(Code&) { return true; }
    bool on_document_end(Code&) { return true; }
    bool on_object_begin(Code&) { return true; }
    bool on_object_end(std::size_t count, Code&) { return stack_.push_object(count), true; }
    bool on_array_begin(Code&) { return true; }
    bool on_array_end(std::size_t count, Code&) { return stack_.push_array(count), true; }

    bool on_key_part(Text part, std::size_t, Code&) { return stack_.push_chars(part), true; }
    bool on_key(Text part, std::size_t, Code&) { return stack_.push_key(part), true; }
    bool on_string_part(Text part, std::size_t, Code&) { return stack_.push_chars(part), true; }
    bool on_string(Text part, std::size_t, Code&) { return stack_.push_string(part), true; }

    bool on_number_part(Text, Code&) { return true; }
    bool on_int64(std::int64_t number, Text, Code&) { return stack_.push_int64(number), true; }
    bool on_uint64(std::uint64_t number, Text, Code&) { return stack_.push_uint64(number), true; }
    bool on_double(double number, Text, Code&) { return stack_.push_double(number), true; }
    bool on_bool(bool flag, Code&) { return stack_.push_bool(flag), true; }
    bool on_null(Code&) { return stack_.push_null(), true; }

    bool on_comment_part(Text, Code&) { return true; }
    bool on_comment(Text, Code&) { return true; }

private:
    boost::json::value_stack stack_;
};

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

/// One pass over a JSON text (RFC 8259) that finds members and makes no tree: for bodies that go on
/// byte for byte, of which a few members count. Memory depends on the depth alone. The grammar is
/// kept strictly, so that no other parser reads a text in another way; numbers are the exception,
/// whose characters alone are checked. False when `text` is not one JSON value, or is nested more
/// deeply than `max_depth`.
bool scan_json(std::string_view text, std::size_t max_depth, JsonVisitor& visitor);

/// A string's text, decoded to UTF-8. Null when `literal` is no string of JSON with its quotes, or
/// has half a surrogate pair.
std::optional<std::string> json_string(std::string_view literal);

} // namespace usershell
