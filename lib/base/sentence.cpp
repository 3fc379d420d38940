#include "base/sentence.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace usershell {

namespace json = boost::json;

Sentence::Sentence(English english, std::vector<Value> values)
    : Sentence{std::string{english.text()}, std::move(values)} {}

Sentence::Sentence(std::string text, std::vector<Value> values)
    : text_{std::move(text)},
      values_{std::move(values)},
      english_{in([](std::string_view english) { return std::string{english}; })} {}

std::string Sentence::in(const std::function<std::string(std::string_view)>& translation) const {
    const std::string translated = translation(text_);
    std::string_view rest = translated;
    std::string whole;
    for (auto open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
        whole += rest.substr(0, open);
        rest.remove_prefix(open + 1);
        const auto value = std::ranges::find_if(
            values_, [&](const Value& each) { return rest.starts_with(each.place + '}'); });
        if (value == values_.end()) {
            whole += '{';
            continue;
        }
        rest.remove_prefix(value->place.size() + 1);
        whole += value->text;
        for (const Sentence& each : value->sentences)
            whole.append(&each == &value->sentences.front() ? "" : "; ")
                .append(each.in(translation));
    }
    return whole.append(rest);
}

json::object Sentence::object() const {
    json::object values;
    for (const Value& each : values_) {
        if (each.sentences.empty()) {
            values[each.place] = each.text;
            continue;
        }
        json::array& parts = values[each.place].emplace_array();
        for (const Sentence& part : each.sentences) parts.push_back(part.object());
    }
    return {{"text", text_}, {"values", std::move(values)}};
}

Sentence Sentence::from(const json::object& object) {
    std::vector<Value> values;
    for (const auto& [place, value] : object.at("values").as_object()) {
        if (value.is_string()) {
            values.emplace_back(std::string{place}, std::string{value.get_string()});
            continue;
        }
        std::vector<Sentence> parts;
        for (const json::value& part : value.as_array()) parts.push_back(from(part.as_object()));
        values.emplace_back(std::string{place}, std::move(parts));
    }
    return {std::string{object.at("text").as_string()}, std::move(values)};
}

std::string Sentence::stored() const { return values_.empty() ? text_ : json::serialize(object()); }

Sentence Sentence::read(std::string_view stored) {
    json::error_code failure;
    const auto value = stored.starts_with('{') ? json::parse(stored, failure) : json::value{};
    try {
        if (const auto* object = value.if_object()) return from(*object);
    } catch (const std::exception&) { // JSON of another form
    }
    return {std::string{stored}, {}};
}

void Sentence::tell(json::object& answer, std::string_view member,
                    std::string_view with_places) const {
    answer[member] = english_;
    if (!values_.empty()) answer[with_places] = object();
}

} // namespace usershell
