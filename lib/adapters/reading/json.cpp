#include "adapters/reading/json.hpp"

#include "adapters/numbers.hpp"
#include "base/ascii.hpp"
#include "base/json.hpp"
#include "domain/rules.hpp"

#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

namespace usershell::adapters {

namespace {

/// The code unit of a `\uXXXX` at the front.
std::optional<unsigned> escaped_unit(std::string_view text) {
    return text.starts_with("\\u") ? hex_number(text.substr(2), 4) : std::nullopt;
}

bool is_high(unsigned unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low(unsigned unit) { return unit >= 0xdc00 && unit < 0xe000; }

void append_raw(std::string& text, unsigned unit) {
    text += {static_cast<char>(0xe0U | (unit >> 12U)),
             static_cast<char>(0x80U | ((unit >> 6U) & 0x3fU)),
             static_cast<char>(0x80U | (unit & 0x3fU))};
}

std::string with_raw_halves(std::string_view text) {
    std::string raw;
    while (!text.empty()) {
        const auto unit = escaped_unit(text);
        std::size_t size = text.front() == '\\' ? 2 : 1;
        if (unit && is_high(*unit) && is_low(escaped_unit(text.substr(6)).value_or(0)))
            size = 12;
        else if (unit && (is_high(*unit) || is_low(*unit))) {
            append_raw(raw, *unit);
            text.remove_prefix(6);
            continue;
        }
        raw.append(text.substr(0, size));
        text.remove_prefix(std::min(size, text.size()));
    }
    return raw;
}

/// No object has too many members; json::parser has no such limit.
struct Builder : JsonBuilder {
    static constexpr std::size_t max_object_size = rules::max_json_members;
    using JsonBuilder::JsonBuilder;
};

/// json::parse() takes what it needs while it parses from the heap, whatever `memory` is.
std::optional<json::value> parse(std::string_view text, const json::storage_ptr& memory) {
    json::parse_options lenient;
    lenient.allow_invalid_utf8 = true;
    std::array<unsigned char, 4096> scratch;
    json::basic_parser<Builder> parser{lenient, memory, scratch.data(), scratch.size()};
    json::error_code error;
    const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
    if (error == json::error::object_too_large) throw JsonMemory::Exceeded{};
    if (error || read != text.size()) return std::nullopt;
    return parser.handler().release();
}

/// Is the name written in a pointer without an escape?
bool is_plain(std::string_view name) {
    return std::ranges::none_of(name, [](char c) { return c == '/' || c == '~'; });
}

constexpr std::size_t min_file = std::size_t{64} * 1024;

/// The end of the string that has begun before: its quotation mark, or the end of the text.
std::size_t end_of_string(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    return std::min(at, text.size());
}

/// As it is written. Some writers escape each slash.
bool is_file(std::string_view text) {
    if (text.size() <= min_file) return false;
    for (std::size_t at = 0; at < text.size(); ++at)
        if (text[at] == '\\' && text.substr(at + 1, 1) != "/") return false;
    return is_visible_ascii(text);
}

} // namespace

void* JsonMemory::do_allocate(std::size_t size, std::size_t alignment) {
    const auto start = (used_ + alignment - 1) / alignment * alignment;
    if (size <= room_.size() && start <= room_.size() - size) {
        used_ = start + size;
        return room_.data() + start;
    }
    if (size > left_) throw Exceeded{};
    void* const bytes =
        ::operator new(size); // Boost.JSON asks for no more than the usual alignment
    left_ -= size;
    return bytes;
}

void JsonMemory::do_deallocate(void* bytes, std::size_t size, std::size_t /*alignment*/) {
    const std::less<> before; // a total order of pointers, too
    if (!before(bytes, room_.data()) && before(bytes, room_.data() + room_.size())) return;
    ::operator delete(bytes);
    left_ += size;
}

ParsedJson parse_json(std::string_view text, const json::storage_ptr& memory) try {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    auto value = parse(text, memory);
    // Boost.JSON calls half a pair a surrogate error or a plain syntax error, as it comes.
    if (!value && (text.find("\\ud") != std::string_view::npos ||
                   text.find("\\uD") != std::string_view::npos))
        value = parse(with_raw_halves(text), memory);
    return {std::move(value), false};
} catch (const JsonMemory::Exceeded&) {
    return {std::nullopt, true};
}

bool append_without_files(std::string& to, std::string_view text, CallMemory::Part& memory) {
    while (!text.empty()) {
        const std::size_t begin = std::min(text.find('"'), text.size() - 1) + 1;
        const std::size_t size = end_of_string(text.substr(begin));
        const bool leaves_out = is_file(text.substr(begin, size));
        const auto kept = text.substr(0, leaves_out ? begin : begin + size);
        const auto mark = text.substr(begin + size, 1);
        if (!append_to(to, kept, memory) || !append_to(to, mark, memory)) return false;
        text.remove_prefix(begin + size + mark.size());
    }
    return true;
}

const json::value* find_value(const json::value& value, std::string_view pointer) {
    // Most name a member, which costs a third without the general way.
    const auto* const object = value.if_object();
    if (object && pointer.size() > 1 && is_plain(pointer.substr(1)))
        return object->if_contains(pointer.substr(1));
    json::error_code error;
    return value.find_pointer(pointer, error);
}

std::string_view text_at(const json::value& value, std::string_view pointer) {
    const auto* const found = find_value(value, pointer);
    const auto* const text = found ? found->if_string() : nullptr;
    return text ? std::string_view{*text} : std::string_view{};
}

std::string_view first_text(const json::value& value, std::span<const std::string_view> pointers) {
    for (const auto pointer : pointers)
        if (const auto text = text_at(value, pointer); !text.empty()) return text;
    return {};
}

const json::array* array_at(const json::value& value, std::string_view pointer) {
    const auto* const found = find_value(value, pointer);
    return found ? found->if_array() : nullptr;
}

std::optional<std::uint64_t> count_at(const json::value& value, std::string_view pointer) {
    const auto* const found = find_value(value, pointer);
    if (!found || !found->is_number()) return std::nullopt;
    if (const auto* const small = found->if_int64(); small && *small >= 0)
        return std::min(static_cast<std::uint64_t>(*small), max_json_count);
    const auto number = found->to_number<double>(); // 1e400 is infinite
    if (number < 0 || (std::isfinite(number) && number != std::floor(number))) return std::nullopt;
    return number < static_cast<double>(max_json_count) ? static_cast<std::uint64_t>(number)
                                                        : max_json_count;
}

bool true_at(const json::value& value, std::string_view pointer) {
    const auto* const found = find_value(value, pointer);
    return found && found->is_bool() && found->get_bool();
}

} // namespace usershell::adapters
