// A tool's request: wherever Boost.JSON finds one model, the scanner finds the same, or refuses.
#include "execute/relay/relay_body.hpp"
#include "domain/rules.hpp"
#include "target.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>

namespace {

using namespace usershell;
namespace json = boost::json;

/// How many members of the top are called so, in this very spelling.
std::ptrdiff_t count_of(const json::object& object, std::string_view name) {
    return std::ranges::count_if(object, [&](const auto& member) { return member.key() == name; });
}

/// Does that member refer to nothing?
bool is_empty(const json::value& value) {
    return value.is_null() || value == json::value{false} || value == json::value{""} ||
           (value.is_array() && value.get_array().empty());
}

void run(std::string_view input) {
    for (const auto route : {RelayRoute::chat, RelayRoute::responses})
        for (const bool is_limited : {false, true}) {
            const store::BodyLimits token{.may_use_stored_objects = !is_limited,
                                          .has_model_limit = is_limited};
            execute::RelayBody read;
            if (!fuzz::accepts([&] {
                    read = execute::read_relay_body(input, route);
                    execute::require_allowed(read, token);
                }))
                continue;
            json::error_code failure;
            json::parse_options options;
            options.max_depth = rules::max_relay_depth + 1;
            const auto name =
                json::parse(input.substr(read.model_at, read.model_size), failure, {}, options);
            fuzz::require(!failure && name.is_string() &&
                              std::string_view{name.get_string()} == read.model,
                          "the place of the model has its JSON string");
            const auto body = json::parse(input, failure, {}, options);
            if (failure || !body.is_object()) continue; // a provider refuses it
            const auto& object = body.get_object();
            if (const auto* const model = object.if_contains("model"))
                fuzz::require(*model == name && count_of(object, "model") == 1,
                              "another parser finds the same model");
            for (const char* const member : {"models", "fallbacks", "previous_response_id"})
                fuzz::require(!is_limited || !object.contains(member) ||
                                  is_empty(object.at(member)),
                              "a limited token has no such member");
        }
}

const fuzz::Target target{"relay_body", run, rules::max_large_json_body,
                          std::size_t{16} * 1024 * 1024};

} // namespace
