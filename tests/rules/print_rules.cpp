// Prints the tables of lib/domain that other files repeat (docs/, sql/, nginx), as JSON.
#include "base/error.hpp"
#include "base/text.hpp"
#include "domain/address/address.hpp"
#include "domain/relay_routes.hpp"
#include "domain/rules.hpp"
#include "domain/settings/setting_table.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <cstdint>
#include <iostream>

#include <unistr.h>

using namespace usershell;
namespace json = boost::json;

namespace {

json::array error_codes() {
    json::array names;
    const auto last = static_cast<int>(ErrorCode::password_needed);
    for (int code = 0; code <= last; ++code)
        names.emplace_back(name_of(static_cast<ErrorCode>(code)));
    return names;
}

json::array settings() {
    json::array rows;
    for (const SettingRow& row : setting_rows()) {
        json::array programs;
        for (const Program program : all_programs)
            if (row.read_by(program)) programs.emplace_back(name_of(program));
        rows.push_back(json::object{{"name", row.name},
                                    {"programs", std::move(programs)},
                                    {"value", row.placeholder},
                                    {"default", row.fallback},
                                    {"min", row.min},
                                    {"max", row.max}});
    }
    return rows;
}

json::array texts(std::span<const std::string_view> list) {
    json::array rows;
    for (const auto row : list) rows.emplace_back(row);
    return rows;
}

/// The labels of the types that have each route.
json::object routes() {
    json::object paths;
    for (const RelayRouteRow& row : relay_routes()) {
        json::array labels;
        for (const ProviderType& type : provider_types())
            if (has_route(type, row.route)) labels.emplace_back(type.label);
        paths[row.path] = std::move(labels);
    }
    return paths;
}

/// The code points for which that is so of the text of one.
template <class Test>
json::array code_points(Test is_so) {
    json::array found;
    for (ucs4_t c = 1; c <= 0x10ffff; ++c) {
        std::array<std::uint8_t, 4> bytes{};
        const int size = u8_uctomb(bytes.data(), c, bytes.size());
        if (size > 0 &&
            is_so({reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size)}))
            found.emplace_back(c);
    }
    return found;
}

json::object networks() {
    const auto table = public_networks();
    json::array special = texts(table.special_v4);
    for (const auto row : table.special_v6) special.emplace_back(row);
    return {{"global", texts(table.global)}, {"special", std::move(special)}};
}

} // namespace

int main() {
    json::object numbers;
    for (const auto& [name, number] : rules::shared_rules().numbers) numbers[name] = number;
    json::object words;
    for (const auto& [name, list] : rules::shared_rules().words)
        words[name] = json::array(list.begin(), list.end());
    json::array types;
    for (const ProviderType& type : provider_types()) types.emplace_back(type.value);
    words["provider_type"] = std::move(types);
    words["error_code"] = error_codes();
    std::cout << json::serialize(json::object{
                     {"numbers", numbers},
                     {"words", words},
                     {"settings", settings()},
                     {"networks", networks()},
                     {"routes", routes()},
                     {"controls", code_points([](std::string_view c) { return has_control(c); })},
                     {"unseen",
                      code_points([](std::string_view c) { return tidy_name(c).empty(); })}})
              << '\n';
}
