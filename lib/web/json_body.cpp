#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "domain/rules.hpp"
#include "web/body.hpp"
#include "web/header_value.hpp"

#include <boost/json/array.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/memory_resource.hpp>
#include <boost/json/value.hpp>

#include <cmath>
#include <cstring> // explicit_bzero(3)
#include <new>
#include <set>
#include <utility>
#include <vector>

namespace usershell::web {

namespace {

namespace json = boost::json;

Refusal malformed(Sentence sentence) {
    return Refusal{ErrorCode::malformed_json, std::move(sentence)};
}

/// Overwrites what it gives back. Has no state, so that all trees share one. Boost.JSON asks for no
/// more than the usual alignment, and gives keys back with another one than it has asked for.
class WipingResource final : public json::memory_resource {
    void* do_allocate(std::size_t size, std::size_t /*alignment*/) override {
        return ::operator new(size);
    }
    void do_deallocate(void* start, std::size_t size, std::size_t /*alignment*/) override {
        ::explicit_bzero(start, size);
        ::operator delete(start);
    }
    bool do_is_equal(const json::memory_resource& other) const noexcept override {
        return this == &other;
    }
};

json::storage_ptr wiping_storage() {
    static WipingResource resource;
    return &resource;
}

/// Refuses what Boost.JSON lets through: a key that is in one object twice, control characters,
/// numbers beyond a double.
class StrictBuilder : public JsonBuilder {
    using Text = json::string_view;
    using Code = json::error_code;

public:
    StrictBuilder() : JsonBuilder{wiping_storage()} {}

    bool on_object_begin(Code& code) { return begin_level() && JsonBuilder::on_object_begin(code); }
    bool on_object_end(std::size_t count, Code& code) {
        levels_.pop_back();
        return JsonBuilder::on_object_end(count, code);
    }
    bool on_array_begin(Code& code) { return begin_level() && JsonBuilder::on_array_begin(code); }
    bool on_array_end(std::size_t count, Code& code) {
        levels_.pop_back();
        return JsonBuilder::on_array_end(count, code);
    }

    bool on_key_part(Text part, std::size_t size, Code& code) {
        key_.append(part.data(), part.size());
        return JsonBuilder::on_key_part(part, size, code);
    }
    bool on_key(Text part, std::size_t size, Code& code) {
        key_.append(part.data(), part.size());
        finish_key();
        return JsonBuilder::on_key(part, size, code);
    }

    bool on_string_part(Text part, std::size_t size, Code& code) {
        check_text(part);
        return JsonBuilder::on_string_part(part, size, code);
    }
    bool on_string(Text part, std::size_t size, Code& code) {
        count();
        check_text(part);
        return JsonBuilder::on_string(part, size, code);
    }

    bool on_int64(std::int64_t number, Text text, Code& code) {
        count();
        return JsonBuilder::on_int64(number, text, code);
    }
    bool on_uint64(std::uint64_t number, Text text, Code& code) {
        count();
        return JsonBuilder::on_uint64(number, text, code);
    }
    bool on_double(double number, Text text, Code& code) {
        count();
        if (!std::isfinite(number)) throw invalid(field_, "The number is out of range."_en);
        return JsonBuilder::on_double(number, text, code);
    }
    bool on_bool(bool flag, Code& code) {
        count();
        return JsonBuilder::on_bool(flag, code);
    }
    bool on_null(Code& code) {
        count();
        return JsonBuilder::on_null(code);
    }

private:
    bool begin_level() {
        count();
        levels_.emplace_back();
        return true;
    }

    /// A value of two characters becomes one of two dozen bytes, and a stranger may send a MiB.
    void count() {
        if (++values_ > rules::max_json_values)
            throw malformed(
                {"The request body has more than {count} values."_en,
                 {{"count", grouped(static_cast<std::int64_t>(rules::max_json_values))}}});
    }

    void finish_key() {
        if (has_c0_control(key_))
            throw malformed("The request body has a key with a control character."_en);
        if (levels_.size() == 1) field_ = key_;
        if (!levels_.back().insert(std::exchange(key_, {})).second)
            throw malformed("The request body has the same key twice in one object."_en);
        if (levels_.back().size() > rules::max_json_members)
            throw malformed(
                {"The request body has an object with more than {count} members."_en,
                 {{"count", grouped(static_cast<std::int64_t>(rules::max_json_members))}}});
    }

    void check_text(json::string_view part) const {
        if (has_c0_control({part.data(), part.size()}))
            throw invalid(field_, "Control characters are not allowed."_en);
    }

    std::vector<std::set<std::string>>
        levels_; ///< the keys seen, of each object around us; empty for arrays
    std::size_t values_ = 0;
    std::string key_;   ///< what has come of the key being read
    std::string field_; ///< the top-level member being read
};

json::value parse_strictly(std::string_view body) {
    json::parse_options options;
    options.max_depth = rules::max_json_depth;
    json::basic_parser<StrictBuilder> parser{options};
    json::error_code failure;
    const std::size_t read = parser.write_some(false, body.data(), body.size(), failure);
    if (failure || read != body.size()) throw malformed("The request body is not valid JSON."_en);
    return parser.handler().release();
}

Refusal wrong_type(std::string_view field, English kind) {
    return invalid(field,
                   {"{field} must be {kind}."_en, {{"field", std::string{field}}, {"kind", kind}}});
}

/// nullptr when missing or null.
const json::value* present(const json::object& object, std::string_view field) {
    const json::value* value = object.if_contains({field.data(), field.size()});
    return value == nullptr || value->is_null() ? nullptr : value;
}

/// Doubles hold every whole number up to here, and only some beyond.
constexpr double max_exact = 9007199254740992.0;

std::optional<std::int64_t> whole_number(const json::value& value) {
    if (const auto* number = value.if_int64()) return *number;
    if (const auto* number = value.if_double())
        if (std::abs(*number) <= max_exact && std::trunc(*number) == *number)
            return static_cast<std::int64_t>(*number);
    return std::nullopt;
}

} // namespace

JsonBody JsonBody::parse(std::string_view body) {
    if (body.empty()) return {};
    json::value value = parse_strictly(body);
    if (!value.is_object()) throw malformed("The request body must be a JSON object."_en);
    return JsonBody{std::move(value.get_object())};
}

JsonBody::JsonBody() : object_{wiping_storage()} {}
JsonBody::JsonBody(json::object&& object) : object_{std::move(object)} {}

std::optional<std::string> JsonBody::text(std::string_view field) const {
    return std::optional<std::string>{text_view(field)};
}

std::optional<std::string_view> JsonBody::text_view(std::string_view field) const {
    const json::value* value = present(object_, field);
    if (value == nullptr) return std::nullopt;
    const json::string* text = value->if_string();
    if (text == nullptr) throw wrong_type(field, "a string"_en);
    return std::string_view{text->data(), text->size()};
}

std::optional<bool> JsonBody::boolean(std::string_view field) const {
    const json::value* value = present(object_, field);
    if (value == nullptr) return std::nullopt;
    const bool* flag = value->if_bool();
    if (flag == nullptr) throw wrong_type(field, "true or false"_en);
    return *flag;
}

std::optional<std::int64_t> JsonBody::integer(std::string_view field) const {
    const json::value* value = present(object_, field);
    if (value == nullptr) return std::nullopt;
    const auto number = whole_number(*value);
    if (!number) throw wrong_type(field, "a whole number"_en);
    return number;
}

std::optional<double> JsonBody::number(std::string_view field) const {
    const json::value* value = present(object_, field);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number()) throw wrong_type(field, "a number"_en);
    return value->to_number<double>();
}

const json::array* JsonBody::list(std::string_view field) const {
    const json::value* value = present(object_, field);
    if (value == nullptr) return nullptr;
    const json::array* list = value->if_array();
    if (list == nullptr) throw wrong_type(field, "a list"_en);
    return list;
}

std::vector<JsonBody> JsonBody::objects(std::string_view field) const {
    std::vector<JsonBody> found;
    const json::array* elements = list(field);
    if (elements == nullptr) return found;
    for (const json::value& element : *elements) {
        if (!element.is_object()) throw wrong_type(field, "a list of objects"_en);
        found.push_back(JsonBody{json::object{element.get_object(), wiping_storage()}});
    }
    return found;
}

} // namespace usershell::web
