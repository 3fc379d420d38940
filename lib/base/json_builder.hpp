// Builds a value as Boost.JSON's own handler does, for readers that limit or refuse more: they
// derive from it and hide what they do otherwise. The names and signatures are those that
// boost::json::basic_parser calls.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/error.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_stack.hpp>

#include <cstddef>
#include <cstdint>

namespace usershell {

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

} // namespace usershell
