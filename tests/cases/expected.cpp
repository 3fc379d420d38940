#include "expected.hpp"

#include "base/ids.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <regex>
#include <stdexcept>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::test {

namespace {

namespace json = boost::json;

constexpr const char* others = "...";

bool is_time(const json::value& value) {
    static const std::regex rfc3339{R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)"};
    return value.is_string() && std::regex_match(value.as_string().c_str(), rfc3339);
}

struct Wildcard {
    std::string_view word;
    bool (*accepts)(const json::value&);
};

constexpr auto wildcards = std::to_array<Wildcard>({
    {"*", [](const json::value&) { return true; }},
    {"<uuid>",
     [](const json::value& v) {
         return v.is_string() && is_uuid(std::string_view{v.as_string()});
     }},
    {"<time>", is_time},
    {"<text>", [](const json::value& v) { return v.is_string() && !v.as_string().empty(); }},
    {"<number>", [](const json::value& v) { return v.is_number(); }},
});

std::string named(const std::string& path) { return path.empty() ? "The document" : path; }

std::string differs(const std::string& path, const json::value& expected,
                    const json::value& actual) {
    return named(path) + " is " + json::serialize(actual) + ", not " + json::serialize(expected);
}

std::optional<std::string> compare(const json::value& expected, const json::value& actual,
                                   const std::string& path);

std::string below(const std::string& path, std::string_view name) {
    return path.empty() ? std::string{name} : path + "." + std::string{name};
}

std::optional<std::string> compare_objects(const json::object& expected, const json::object& actual,
                                           const std::string& path) {
    for (const auto& [name, value] : expected) {
        if (name == others) continue;
        const auto* found = actual.if_contains(name);
        if (found == nullptr) return below(path, name) + " is missing";
        if (auto difference = compare(value, *found, below(path, name))) return difference;
    }
    if (expected.contains(others)) return std::nullopt;
    for (const auto& [name, value] : actual) {
        if (!expected.contains(name)) return below(path, name) + " is not expected";
    }
    return std::nullopt;
}

std::optional<std::string> compare_arrays(const json::array& expected, const json::array& actual,
                                          const std::string& path) {
    for (std::size_t i = 0; i < std::min(expected.size(), actual.size()); ++i) {
        if (auto difference = compare(expected[i], actual[i], below(path, std::to_string(i))))
            return difference;
    }
    if (expected.size() == actual.size()) return std::nullopt;
    return named(path) + " has " + std::to_string(actual.size()) + " entries, not " +
           std::to_string(expected.size());
}

std::optional<std::string> compare(const json::value& expected, const json::value& actual,
                                   const std::string& path) {
    if (const auto* text = expected.if_string()) {
        const auto* row = std::ranges::find(wildcards, std::string_view{*text}, &Wildcard::word);
        if (row != wildcards.end() && row->accepts(actual)) return std::nullopt;
    }
    if (expected.is_object() && actual.is_object())
        return compare_objects(expected.as_object(), actual.as_object(), path);
    if (expected.is_array() && actual.is_array())
        return compare_arrays(expected.as_array(), actual.as_array(), path);
    if (expected == actual) return std::nullopt;
    return differs(path, expected, actual);
}

const json::value* step(const json::value& value, std::string_view name) {
    if (const auto* object = value.if_object())
        return object->if_contains({name.data(), name.size()});
    const auto* array = value.if_array();
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    if (array == nullptr || error != std::errc{} || end != name.data() + name.size())
        return nullptr;
    return array->if_contains(index);
}

} // namespace

std::optional<std::string> difference(const json::value& expected, const json::value& actual) {
    return compare(expected, actual, "");
}

json::value parse_expected(std::string_view text) {
    static const std::regex open_end{R"(\.\.\.\s*\})"};
    const std::string closed = std::regex_replace(std::string{text}, open_end, R"("...": true})");
    json::error_code failure;
    auto value = json::parse(closed, failure);
    if (failure) throw std::invalid_argument{"The expected body is not JSON."};
    return value;
}

std::optional<std::string> value_at(const json::value& document, std::string_view path) {
    const json::value* value = &document;
    while (value != nullptr && !path.empty()) {
        const auto dot = std::min(path.find('.'), path.size());
        value = step(*value, path.substr(0, dot));
        path.remove_prefix(std::min(dot + 1, path.size()));
    }
    if (value == nullptr) return std::nullopt;
    if (const auto* text = value->if_string()) return std::string{text->data(), text->size()};
    return json::serialize(*value);
}

bool glob(std::string_view pattern, std::string_view text) {
    const auto star = pattern.find('*');
    if (star == std::string_view::npos) return pattern == text;
    if (!text.starts_with(pattern.substr(0, star))) return false;
    const auto rest = pattern.substr(star + 1);
    for (auto from = star; from <= text.size(); ++from) {
        if (glob(rest, text.substr(from))) return true;
    }
    return false;
}

} // namespace usershell::test
